/**
 * @file Adjusts profiles by aligning dialogues with them (after BEYOND DIALOGUE). An entry that the dialogues contradict more often than
 * they show it is retired from the profile. The rest is consistent: dialogues under the adjusted profile, and the single alignments, become
 * training data.
 */

import { derive, type Persona, type PersonaInput, parsePersona, renderPersona } from '@ludus-agents/agents/internal/personas/index';
import { personasInRun } from '@ludus-agents/evaluation/internal/episode-personas';
import { testedSeats } from '@ludus-agents/evaluation/internal/scoring/evaluation/index';
import { logOf, wordsBy } from '@ludus-agents/evaluation/internal/scoring/rules/log';
import { type AlignedSentence, alignLines } from '@ludus-agents/evaluation/internal/scoring/small/alignment';
import { type Embedder, labelOf, type Nli } from '@ludus-agents/evaluation/internal/scoring/small/small';
import { recordsOf } from '@ludus-agents/evaluation/internal/stored-run';
import type { ChatMessage, Episode, Json, Store } from '@ludus-agents/kernel/internal/core/index';
import { preferenceRow } from './character-data.ts';

export interface AlignOptions {
  readonly store: Store;
  readonly run: string;
  /** Classifies whether a sentence shows an entry of the profile, contradicts it, or neither. */
  readonly nli: Nli;
  /** Selects the entries to compare with a sentence. */
  readonly embedder: Embedder;
  readonly signal?: AbortSignal | undefined;
}

/** One sentence compared with one entry of the profile, and its place. */
export interface SentenceAlignment extends AlignedSentence {
  readonly episode: string;
  readonly seat: string;
}

export interface ProfileChange {
  readonly persona: string;
  readonly dimension: SentenceAlignment['dimension'];
  readonly entry: string;
  readonly text: string;
  readonly shows: number;
  readonly contradicts: number;
  /** A sentence that contradicts the entry. */
  readonly by: string;
}

/** A row of training data: a conversation that ends with the target text. */
export interface AlignedRow {
  readonly messages: readonly ChatMessage[];
  readonly from: string;
}

export interface AlignReport {
  readonly reader: string;
  readonly dialogues: number;
  readonly sentences: number;
  /** Pairs of a sentence and an entry that were classified. */
  readonly compared: number;
  readonly alignments: readonly SentenceAlignment[];
  readonly changes: readonly ProfileChange[];
  /** The adjusted profiles, by seat. */
  readonly profiles: Readonly<Record<string, Persona>>;
  readonly rows: readonly AlignedRow[];
  /** Lines left out of the rows because they still contradict the adjusted profile. */
  readonly leftOut: number;
}

interface Dialogue {
  readonly episode: Episode;
  readonly seat: string;
  readonly persona: Persona;
}

/** Aligns every character of a run with its profile, adjusts the profiles, and creates training data. */
export async function alignRun({ store, run, nli, embedder, signal }: AlignOptions): Promise<AlignReport> {
  const dialogues = await dialoguesIn(store, run);
  const alignments: SentenceAlignment[] = [];
  let [spokenCount, compared] = [0, 0];
  for (const { episode, seat, persona } of dialogues) {
    const aligned = await alignLines(wordsBy(logOf(episode), seat), persona, { nli, embedder }, signal);
    spokenCount += aligned.sentences;
    compared += aligned.compared;
    alignments.push(...aligned.alignments.map((alignment) => ({ episode: episode.id, seat, ...alignment })));
  }
  const { profiles, changes } = adjust(dialogues, alignments);
  return {
    ...{ reader: labelOf(nli), dialogues: dialogues.length, sentences: spokenCount, compared, alignments, changes, profiles },
    ...rowsOf(dialogues, { alignments, changes, profiles }),
  };
}

async function dialoguesIn(store: Store, run: string): Promise<readonly Dialogue[]> {
  const personas = await personasInRun(store, run);
  const dialogues: Dialogue[] = [];
  for await (const record of recordsOf(store, { run })) {
    if (record.status === 'running') continue;
    const events = await store.events(record.id);
    for (const seat of testedSeats(record)) {
      const json = personas(events)[seat];
      if (json !== undefined) dialogues.push({ episode: { id: record.id, events }, seat, persona: parsePersona(json as PersonaInput) });
    }
  }
  return dialogues;
}

function adjust(dialogues: readonly Dialogue[], alignments: readonly SentenceAlignment[]): Pick<AlignReport, 'profiles' | 'changes'> {
  const changes: ProfileChange[] = [];
  const profiles: Record<string, Persona> = {};
  for (const [hash, [{ persona }]] of Map.groupBy(dialogues, ({ persona }) => persona.hash) as Map<string, [Dialogue]>) {
    const seats = new Set(
      dialogues.filter((dialogue) => dialogue.persona.hash === hash).map(({ episode, seat }) => `${episode.id} ${seat}`),
    );
    const ofPersona = alignments.filter(({ episode, seat }) => seats.has(`${episode} ${seat}`));
    const retired = [...Map.groupBy(ofPersona, ({ dimension, entry }) => `${dimension} ${entry}`).values()].flatMap(
      (group): readonly ProfileChange[] => {
        const against = group.filter(({ verdict }) => verdict === 'contradicts');
        const shows = group.length - against.length;
        const [{ dimension, entry, text }] = group;
        return against.length > shows
          ? [{ persona: persona.name, dimension, entry, text, shows, contradicts: against.length, by: against[0].sentence }]
          : [];
      },
    );
    changes.push(...retired);
    profiles[persona.name] = retired.length === 0 ? persona : withoutEntries(persona, retired);
  }
  return { profiles, changes };
}

/** Removes statements, moves traits to the middle and makes relations indifferent; records all of them in `ext.retired`. */
function withoutEntries(persona: Persona, retired: readonly ProfileChange[]): Persona {
  const { statements, identity, relations, ext } = persona;
  const gone = (dimension: ProfileChange['dimension'], entry: string) =>
    retired.some((change) => change.dimension === dimension && change.entry === entry);
  const { bigFive } = identity.personal;
  const traits = Object.entries(bigFive ?? {}).map(([trait, level]) => [
    trait,
    gone('personality', trait) ? { ...level, score: 50 } : level,
  ]);
  return derive(
    persona,
    {
      statements: statements.filter(({ id }) => !gone('character', id)),
      ...(bigFive === undefined
        ? {}
        : { identity: { ...identity, personal: { ...identity.personal, bigFive: Object.fromEntries(traits) as typeof bigFive } } }),
      relations: relations.map((relation) => (gone('relationship', relation.to) ? { ...relation, affinity: 0 } : relation)),
      ext: {
        ...ext,
        retired: {
          ...(ext['retired'] as Readonly<Record<string, Json>> | undefined),
          ...Object.fromEntries(retired.map(({ entry, text, by }) => [entry, { text, by }])),
        },
      },
    },
    'evolve',
  );
}

/** Lines under the adjusted profile, and the alignments as questions about single sentences. */
function rowsOf(
  dialogues: readonly Dialogue[],
  { alignments, changes, profiles }: Pick<AlignReport, 'alignments' | 'changes' | 'profiles'>,
): Pick<AlignReport, 'rows' | 'leftOut'> {
  const rows: AlignedRow[] = [];
  let leftOut = 0;
  for (const { episode, seat, persona } of dialogues) {
    const adjusted = profiles[persona.name] ?? persona;
    const isRetired = ({ dimension, entry }: SentenceAlignment) =>
      changes.some((change) => change.persona === persona.name && change.dimension === dimension && change.entry === entry);
    const standing = alignments.filter((alignment) => alignment.episode === episode.id && alignment.seat === seat && !isRetired(alignment));
    const system: ChatMessage = {
      role: 'system',
      content: renderPersona(adjusted)
        .map(({ text }) => text)
        .join('\n\n'),
    };
    for (const { event, text } of wordsBy(logOf(episode), seat)) {
      if (standing.some((alignment) => alignment.event === event && alignment.verdict === 'contradicts')) {
        leftOut++;
        continue;
      }
      const { prompt } = preferenceRow(episode.events, { event, before: text, after: text }, episode.id);
      rows.push({ messages: [system, ...prompt, { role: 'assistant', content: text }], from: episode.id });
    }
    for (const { sentence, text, dimension, verdict } of standing)
      rows.push({
        messages: [
          {
            role: 'user',
            content: `Profile (${dimension}): ${text}\nSentence: ${sentence}\nDoes the sentence show this or contradict it?`,
          },
          { role: 'assistant', content: verdict === 'shows' ? `It shows it: “${sentence}”` : `It contradicts it: “${sentence}”` },
        ],
        from: episode.id,
      });
  }
  return { rows, leftOut };
}
