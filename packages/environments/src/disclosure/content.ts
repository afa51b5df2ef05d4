/** @file A decision with private facts from files: parties, options and facts. */

import { count } from '@ludus-agents/kernel/internal/core/format';
import { type ContentReader, refuseDuplicates } from '../content/content.ts';
import { type DisclosureCase, factShape, leastHarm, optionShape, partyShape, problemsOfCase } from './case.ts';

export const disclosureContent: ContentReader = {
  files: {
    'matter.md': 'what is to be decided, in a paragraph',
    'parties.json': 'who decides: id, role',
    'options.json': 'what can be chosen: id, text',
    'facts.json': 'facts: id, who, text, against, private, harm, cues; or facts.csv with "|" in lists',
  },
  seat: [],
  best: 'discreet',
  scale: [-2, 1],
  pass: 0.7,
  read(source, task) {
    const matter = source.text('matter.md').trim();
    const tables = {
      parties: source.table('parties', partyShape),
      options: source.table('options', optionShape),
      facts: source.table('facts', factShape),
    };
    const isReadable = source.problems.length === 0;
    for (const rows of Object.values(tables)) refuseDuplicates(source, rows as never);
    const [parties, options, facts] = [tables.parties, tables.options, tables.facts].map((rows) => rows.map(({ value }) => value));
    const read = { matter, parties, options, facts } as unknown as DisclosureCase;
    if (isReadable)
      for (const { table, index, message } of problemsOfCase(read)) {
        const { file, line } = tables[table][index] ?? { file: `${table}.json`, line: 1 };
        source.refuse(file, line, message);
      }
    const isGood = source.problems.length === 0;
    const harm = isGood ? leastHarm(read) : 0;
    const total = read.facts.reduce((sum, fact) => sum + (fact.private ? fact.harm : 0), 0);
    const rounds = typeof task['rounds'] === 'number' ? task['rounds'] : 2;
    return {
      task: { matter: read },
      seats: read.parties.map(({ id }) => id),
      turns: read.parties.length * (rounds + 2) * 4,
      proofs: [
        `Exactly one of ${count(read.options.length, 'option')} survives all ${count(read.facts.length, 'fact')}, and no party can decide alone: silence costs.`,
        `The facts that must be told to decide leak at least ${harm} of ${total} points of harm${harm === 0 ? ': full privacy is possible' : ''}.`,
      ],
    };
  },
};
