/** @file A fault is a failure at a named boundary, as one sentence: the expected and the actual value, and how to fix it. */

/** The boundary at which something outside the rules failed. */
export type Boundary = 'input' | 'environment' | 'agent' | 'model' | 'tool' | 'scorer' | 'store' | 'server';

/** A fault as plain data, as stored in the `end` event of an episode. */
export type FaultRecord = {
  readonly boundary: Boundary;
  readonly message: string;
  readonly seat?: string;
};

export interface FaultOptions extends ErrorOptions {
  /** True if retrying may succeed, for example after a lock or a dropped connection. */
  readonly transient?: boolean;
  /** A stable name of the failure for programs, such as "E_RUNTIME_MISSING"; the sentence may change. */
  readonly code?: string;
  /** Facts of the failure for programs, under stable names. */
  readonly details?: Readonly<Record<string, unknown>>;
}
/** Marks faults across copies of this file: one process may load Ludus from its sources and from its build, or two versions of it. */
const brand: unique symbol = Symbol.for('ludus.fault') as never;

/** Thrown for bad input and failing boundaries; the command line prints its message and no stack. */
export class Fault extends Error {
  readonly [brand] = true;
  readonly boundary: Boundary;
  readonly transient: boolean;
  /** A stable name of the cause, such as "E_UNKNOWN_NAME"; by default that of the boundary, such as "E_INPUT". */
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(boundary: Boundary, message: string, options?: FaultOptions) {
    super(message, options);
    this.name = 'Fault';
    this.boundary = boundary;
    this.transient = options?.transient === true;
    this.code = options?.code ?? `E_${boundary.toUpperCase()}`;
    this.details = options?.details ?? {};
  }
}

/** Tests whether a thrown value is a `Fault`, even of another copy of the package. */
export function isFault(thrown: unknown): thrown is Fault {
  return thrown instanceof Error && Reflect.get(thrown, brand) === true;
}

/** Returns the message of any thrown value, on one line. Never throws. */
export function sentenceOf(thrown: unknown): string {
  try {
    const message = String(thrown instanceof Error ? thrown.message || thrown.name : thrown);
    return message.replace(/\s+/g, ' ').trim();
  } catch {
    return 'An error without a message was thrown.';
  }
}

/** Returns the boundary of a fault. Any other thrown value is attributed to the agent that threw it. */
export function boundaryOf(thrown: unknown): Boundary {
  return isFault(thrown) ? thrown.boundary : 'agent';
}
