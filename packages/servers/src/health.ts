/** @file Whether a server can do its work: the health of all its routes together. */

export interface Health {
  /** Degraded still serves; unhealthy takes nothing new until its reason is gone. */
  readonly status: 'healthy' | 'degraded' | 'unhealthy';
  readonly reason?: string;
}

const order = ['healthy', 'degraded', 'unhealthy'] as const;

/** The worst of all, with every reason. */
export function worstOf(all: readonly Health[]): Health {
  const status = order[Math.max(0, ...all.map((health) => order.indexOf(health.status)))]!;
  const reasons = [...new Set(all.map(({ reason }) => reason).filter((reason) => reason !== undefined))];
  return reasons.length === 0 ? { status } : { status, reason: reasons.join(' ') };
}

/** What a probe reads: 503 takes a server out of a rotation. */
export function statusCodeOf({ status }: Health): 200 | 503 {
  return status === 'unhealthy' ? 503 : 200;
}
