/** @file Reads shared parts from their table, with a cache: the content of an address never changes. */

import { Fault, type Json } from '@ludus-agents/kernel/internal/core/index';
import type { Kysely } from 'kysely';
import { readBack } from './append-rules.ts';
import { addressOf, type Hole, holesIn, missingPart, type Piece, referencesIn, type Shared, Unpacker } from './pack.ts';
import type { Tables } from './schema.ts';

export class Pieces {
  readonly #db: Kysely<Tables>;
  #kept = new Map<string, Piece>();
  #size = 0;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Packed values as they were; they are the caller's own, and are changed where they refer to something. */
  async unpack(packed: readonly Json[]): Promise<readonly Json[]> {
    const holes: Hole[] = [];
    const wanted = new Set<string>();
    // In a list each, because a value may be nothing but a reference.
    const roots = packed.map((value) => {
      const root = { value: [value], isWhole: true };
      const before = holes.length;
      if (holesIn(root.value, holes)) return root;
      holes.length = before;
      referencesIn(value, wanted);
      return { ...root, isWhole: false };
    });
    for (const { address, rest } of holes) {
      wanted.add(address);
      if (rest !== undefined) referencesIn(rest, wanted);
    }
    const unpacker = await this.#unpackerFor(wanted);
    for (const hole of holes) unpacker.fill(hole);
    return roots.map(({ value: [value], isWhole }) => (isWhole ? value! : unpacker.unpack(value!)));
  }

  /** Finds the texts of parts at these addresses, and of all that they refer to. */
  async texts(addresses: ReadonlySet<string>): Promise<(address: string) => Shared> {
    const matches = new Map<string, Shared>();
    for (let wanted = [...addresses]; wanted.length > 0; ) {
      const inside = new Set<string>();
      for (const shared of await this.#chains(wanted)) {
        matches.set(shared.hash, shared);
        referencesIn(readBack(shared.part), inside);
      }
      wanted = [...inside].filter((address) => !matches.has(address));
    }
    return (address) => {
      const shared = matches.get(address);
      if (shared === undefined) throw missingPart(address);
      return shared;
    };
  }

  /** Reads whole chains of parts at a time, then the parts referenced inside them. */
  async #unpackerFor(addresses: ReadonlySet<string>): Promise<Unpacker> {
    if (this.#size > 2 ** 24) {
      // A new map instead of a cleared one, because another reader may still use the old one.
      this.#kept = new Map();
      this.#size = 0;
    }
    const retained = this.#kept;
    const matches = new Map<string, Piece>();
    const unknown = (subset: ReadonlySet<string>) => [...subset].filter((address) => !retained.has(address) && !matches.has(address));
    for (let wanted = unknown(addresses); wanted.length > 0; ) {
      const inside = new Set<string>();
      for (const { hash, parent, part } of await this.#chains(wanted)) {
        const piece: Piece = { parent, part: readBack(part) };
        matches.set(hash, piece);
        this.#size += part.length;
        referencesIn(piece.part, inside);
      }
      wanted = unknown(inside);
    }
    // Written only now, all together: a stored value is always stored with everything it refers to.
    for (const [address, piece] of matches) retained.set(address, piece);
    return new Unpacker((address) => retained.get(address));
  }

  /** The parts at these addresses, with their parents, their parents' parents and so on. */
  async #chains(addresses: readonly string[]): Promise<readonly Shared[]> {
    const matches: Shared[] = [];
    for (let at = 0; at < addresses.length; at += 500) {
      const rows = await this.#db
        .withRecursive('chain', (db) =>
          db
            .selectFrom('parts')
            .select(['hash', 'parent'])
            .where('hash', 'in', addresses.slice(at, at + 500))
            .union(db.selectFrom('parts').innerJoin('chain', 'chain.parent', 'parts.hash').select(['parts.hash', 'parts.parent'])),
        )
        .selectFrom('chain')
        .innerJoin('parts', 'parts.hash', 'chain.hash')
        .selectAll('parts')
        .execute();
      for (const row of rows) matches.push(intact(row));
    }
    return matches;
  }
}

/** A part is valid only if it matches its address: so no damage is read as truth, and no chain can run in a circle. */
function intact(shared: Shared): Shared {
  const { hash, parent, part } = shared;
  if (addressOf(parent, part) === hash) return shared;
  throw new Fault('store', `The store is damaged: the shared value ${hash.slice(0, 12)}… was changed. Restore a copy.`, {
    code: 'E_INVALID_DOCUMENT',
  });
}
