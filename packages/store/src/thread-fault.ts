/** @file A fault on its way from one thread to another, where only plain data can go. */

import { type Boundary, Fault, isFault, sentenceOf } from '@ludus-agents/kernel/internal/core/index';

/** A fault as it crosses between threads. */
export interface Plain {
  readonly boundary: Boundary;
  readonly message: string;
  readonly transient: boolean;
}

/** A thrown value as plain data; anything but a fault is attributed to this boundary. */
export function toPlain(thrown: unknown, boundary: Boundary): Plain {
  const fault = isFault(thrown) ? thrown : new Fault(boundary, sentenceOf(thrown));
  return { boundary: fault.boundary, message: sentenceOf(fault), transient: fault.transient };
}

export function faultOf({ boundary, message, transient }: Plain): Fault {
  return new Fault(boundary, message, { transient });
}
