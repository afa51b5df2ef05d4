/** @file A fingerprint, and the facts that it hashes. */

import type { NamedSource } from '@ludus-agents/agents/internal/workspace/load';
import { describeProgram, digestPath } from '@ludus-agents/agents/internal/workspace/programs';
import { Fault, hash, type Json } from '@ludus-agents/kernel/internal/core/index';

/** An external input of a fingerprint, by name; a command is a list of its words. */
export type Source = {
  readonly kind: 'agent' | 'model' | 'environment' | 'scorer' | 'tools' | 'command' | 'file';
  readonly name: string;
};

/** The identity of something as a hash, and the parts that could not be hashed. */
export interface Fingerprint {
  readonly hash: string;
  /** The inputs, each once. */
  readonly sources: readonly Source[];
  /** Parts that may change without notice, each in a few words; empty if the hash covers everything. */
  readonly unpinned: readonly string[];
}

/** The inputs of a hash. */
export class FingerprintParts {
  readonly #isIdle: boolean;
  readonly #facts: Json[] = [];
  readonly #unpinned = new Set<string>();
  readonly #sources = new Map<string, Source>();

  constructor(isIdle: boolean) {
    this.#isIdle = isIdle;
  }

  note(what: string, fact: Json): void {
    this.#facts.push([what, fact]);
  }

  unpin(why: string): void {
    this.#unpinned.add(why);
  }

  uses(kind: Source['kind'], name: string): void {
    this.#sources.set(`${kind} ${name}`, { kind, name });
  }

  add(what: string, { hash: of, unpinned, sources }: Fingerprint): void {
    this.note(what, of);
    for (const { kind, name } of sources) this.uses(kind, name);
    for (const why of unpinned) this.unpin(why);
  }

  /** A document counts by its content, a program with all its imports, an installed package by its version. */
  source(what: string, source: NamedSource | undefined): void {
    // Programs are not executed here, and a hash of the name alone would never change.
    if (source === undefined && this.#isIdle) throw new Fault('input', `The ${what} is not found, or may not be read.`);
    if (source === undefined) return;
    if ('file' in source) this.program(what, source.file);
    else this.note(what, source.builtIn);
  }

  program(what: string, file: string): void {
    const { digest, unknown } = this.#isIdle ? { digest: digestPath(file), unknown: [] } : describeProgram(file);
    this.note(what, digest);
    if (unknown[0] !== undefined) this.unpin(unknown[0]);
  }

  fingerprint(): Fingerprint {
    return { hash: hash(this.#facts).slice(0, 16), sources: [...this.#sources.values()], unpinned: [...this.#unpinned].sort() };
  }
}
