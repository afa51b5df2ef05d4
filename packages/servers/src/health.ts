/** @file Checks whether a server can work: the combined health of all its routes. */

export interface Health {
  /** A degraded server still serves; an unhealthy one accepts nothing new until the cause is gone. */
  readonly status: 'healthy' | 'degraded' | 'unhealthy';
  readonly reason?: string;
}

const order = ['healthy', 'degraded', 'unhealthy'] as const;

/** The worst state of all, with every reason. */
export function worstOf(all: readonly Health[]): Health {
  const status = order[Math.max(0, ...all.map((health) => order.indexOf(health.status)))]!;
  const reasons = [...new Set(all.map(({ reason }) => reason).filter((reason) => reason !== undefined))];
  return reasons.length === 0 ? { status } : { status, reason: reasons.join(' ') };
}

/** The response to a probe: 503 removes a server from a rotation. */
export function statusCodeOf({ status }: Health): 200 | 503 {
  return status === 'unhealthy' ? 503 : 200;
}
