/** @file What a model's failure says besides its sentence: the status it came with, and when to try again. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';

export class ModelFault extends Fault {
  /** The HTTP status, where there was one; 408 for a call that took too long. */
  readonly status: number | undefined;
  /** Milliseconds the model asks its callers to wait. */
  readonly retryAfter: number | undefined;
  /** Whether the next try would fail the same way, though no status says so: a key that cannot be sent, a certificate that is not trusted. */
  readonly isLasting: boolean;
  /** Whether no server has received the request, so that it cost nothing. */
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
