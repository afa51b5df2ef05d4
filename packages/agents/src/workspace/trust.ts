/**
 * @file The origin of a name, and the access of that origin. Every loader takes a `Trust`; the entry point that receives the name decides
 * which. The table in docs/reference/security.md lists the same rights, and `test/attacks/trust.test.ts` tests every cell of it.
 */

/** The resources that a name can access beyond the data in this process. A hub model and a toolbox count as addresses. */
export type NameReach = 'code' | 'command' | 'variable' | 'file' | 'address' | 'model';

/** `inside`: only a file whose real path is inside the working folder. */
export type Right = 'yes' | 'inside' | 'no';

type Rights = Readonly<Record<NameReach, Right>>;

const everything: Rights = { code: 'yes', command: 'yes', variable: 'yes', file: 'yes', address: 'yes', model: 'yes' };
const remote: Rights = { code: 'inside', command: 'no', variable: 'no', file: 'inside', address: 'yes', model: 'inside' };
const nothing: Rights = { code: 'no', command: 'no', variable: 'no', file: 'no', address: 'no', model: 'no' };

/** The origin of a name. The constructor is private, so that no string, cast, or default can forge one. */
export class Trust {
  readonly #rights: Rights;
  /** The origin as messages name it. */
  readonly origin: string;

  private constructor(origin: string, rights: Rights) {
    this.origin = origin;
    this.#rights = rights;
  }

  /** Typed on a command line, or passed by a program that calls the library. */
  static readonly commandLine: Trust = new Trust('command line', everything);
  /** Written in a plan, suite, or recipe file named by the user. */
  static readonly planFile: Trust = new Trust('plan file', everything);
  /** Written in the configuration of a folder that the user trusts. Other configurations are not read. */
  static readonly configuration: Trust = new Trust('configuration', everything);
  /** Sent to a server, with any token. */
  static readonly request: Trust = new Trust('request', remote);
  /** A job of a shared store. */
  static readonly job: Trust = new Trust('job', remote);
  /** Written in the folder by an earlier run, such as the recipe of a checkpoint. */
  static readonly runFolder: Trust = new Trust('run folder', remote);
  /** Imported or stored: logs, plans, and journals of a store. */
  static readonly storedData: Trust = new Trust('stored data', nothing);

  /** Recovers a trust that was passed through code that does not know its type. */
  static from(value: unknown): Trust {
    if (value instanceof Trust) return value;
    throw new TypeError('A loader was called without saying which names are trusted.');
  }

  /** The access of a name of this origin without the user's consent. */
  right(reach: NameReach): Right {
    return this.#rights[reach];
  }

  /** True for names that a user chose on this machine. */
  get isUser(): boolean {
    return this.#rights === everything;
  }
}
