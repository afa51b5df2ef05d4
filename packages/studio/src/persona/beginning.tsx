/** @file What people write first: a name, a description in plain sentences, and the first words. */

import type { Persona } from '@ludus-agents/servers/internal/studio/api';
import { AreaField, ListField, TextField } from '../parts/form.tsx';
import type { PartProps } from './identity.tsx';

type Statement = Persona['statements'][number];

export function Beginning({ persona, change }: PartProps) {
  const { voice } = persona;
  const [first = '', ...others] = voice.greetings;
  const plain = persona.statements.filter(({ kind }) => kind !== 'boundary');
  return (
    <>
      <TextField label="Name" value={persona.name} change={(name) => change({ ...persona, name })} />
      <ListField
        label="Description"
        about="one sentence per line; each is a statement, which you can edit below"
        value={plain.map(({ text }) => text)}
        change={(lines) => change({ ...persona, statements: describeLines(persona.statements, lines) })}
      />
      <AreaField
        label="Greeting"
        about="how it opens a conversation"
        rows={3}
        value={first}
        change={(greeting) => change({ ...persona, voice: { ...voice, greetings: greeting === '' ? others : [greeting, ...others] } })}
      />
    </>
  );
}

/** The statements with other sentences: those whose sentence stays keep what is said about them, by their place. */
function describeLines(statements: readonly Statement[], lines: readonly string[]): readonly Statement[] {
  const [plain, rest] = [statements.filter(({ kind }) => kind !== 'boundary'), statements.filter(({ kind }) => kind === 'boundary')];
  const ids = new Set(statements.map(({ id }) => id));
  const fresh = (text: string): Statement => {
    let n = statements.length + 1;
    while (ids.has(`s${n}`)) n++;
    ids.add(`s${n}`);
    return { id: `s${n}`, text, kind: 'fact', polarity: 'must', weight: 1, visibility: 'public' };
  };
  const same = new Map(plain.map((line) => [line.text, line]));
  const next = lines.map((text, i) => {
    const at = plain[i];
    const sameLine = same.get(text) ?? (at !== undefined && !lines.includes(at.text) ? { ...at, text } : undefined);
    return sameLine ?? fresh(text);
  });
  const usedIds = new Set<string>();
  const distinct = next.map((line) => {
    const distinctLine = usedIds.has(line.id) ? fresh(line.text) : line;
    usedIds.add(distinctLine.id);
    return distinctLine;
  });
  return [...distinct, ...rest];
}
