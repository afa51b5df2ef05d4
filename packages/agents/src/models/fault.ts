/** @file A model's failure beyond its message: the HTTP status, and when to try again. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';

export class ModelFault extends Fault {
  /** The HTTP status, if any; 408 for a timeout. */
  readonly status: number | undefined;
  /** Milliseconds that the server asks callers to wait. */
  readonly retryAfter: number | undefined;
  /** Whether a retry would fail the same way although no status says so: a key that cannot be sent, an untrusted certificate. */
  readonly isLasting: boolean;
  /** Whether no server received the request, so it cost nothing. */
  readonly isUnsent: boolean;

  constructor(
    message: string,
    why: {
      readonly status?: number;
      readonly retryAfter?: number;
      readonly isLasting?: boolean;
      readonly isUnsent?: boolean;
      readonly cause?: unknown;
    } = {},
  ) {
    super('model', message, why.cause === undefined ? {} : { cause: why.cause });
    this.status = why.status;
    this.retryAfter = why.retryAfter;
    this.isLasting = why.isLasting ?? false;
    this.isUnsent = why.isUnsent ?? false;
  }
}
