/**
 * @file What the readers of profiles see in a reply, and what people see: `npm run bench -- persona-facts --labels=FILE.json`. The file has the form of the PersonaChat
 * part of USR (Mehri & Eskenazi 2020): contexts with facts about the speaker, and replies that three people rated, among others for whether a reply uses the facts
 * (0 or 1) and fits the context (1 to 3).
 *
 * The estimates were fixed before the ratings were read: a reply uses a fact if the aligner finds that one of its sentences shows one.
 * With --model=NAME or --server=URL#BASE, a language model judges the same, prompted or taught on half of the labels.
 */

import { readFileSync } from 'node:fs';
import { installedEncoder } from '@ludus-agents/agents/internal/encoders/installed';
import { parsePersona } from '@ludus-agents/agents/internal/personas/index';
import { gymRules } from '@ludus-agents/evaluation/internal/probes/gym-rules';
import { areaUnderCurve } from '@ludus-agents/evaluation/internal/scoring/reward-model/reward-card';
import { alignLines } from '@ludus-agents/evaluation/internal/scoring/small/alignment';
import { lexicalEmbedder, lexicalNli } from '@ludus-agents/evaluation/internal/scoring/small/lexical';
import { type Embedder, likeness } from '@ludus-agents/evaluation/internal/scoring/small/small';
import { cohenKappa } from '@ludus-agents/evaluation/internal/scoring/statistics/agreement';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { judgeLabels, type LabeledText } from './_label-judge.ts';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

interface RatedContext {
  readonly context: string;
  readonly fact: string;
  readonly responses: readonly {
    readonly response: string;
    readonly 'Uses Knowledge': readonly number[];
    readonly 'Maintains Context': readonly number[];
  }[];
}

const sample: readonly RatedContext[] = [
  {
    context: 'Hello. What do you do?\n',
    fact: 'your persona: i repair old clocks.\nyour persona: i have two cats.\n',
    responses: [
      { response: 'I repair old clocks, and you?\n', 'Uses Knowledge': [1, 1, 1], 'Maintains Context': [3, 3, 3] },
      { response: 'It is a nice day.\n', 'Uses Knowledge': [0, 0, 0], 'Maintains Context': [1, 1, 2] },
      { response: 'I mend things that tick.\n', 'Uses Knowledge': [1, 1, 0], 'Maintains Context': [3, 3, 3] },
    ],
  },
];

/** A reply with the ratings of people and what the readers see. */
interface RatedReply {
  readonly context: number;
  readonly uses: readonly number[];
  readonly fits: readonly number[];
  readonly shown: boolean;
  /** The likeness of the reply to its nearest fact, and to the last message. */
  readonly toFact: number;
  readonly toMessage: number;
  /** The rule judge of PersonaGym, for this reply alone. */
  readonly judged: number;
}

async function readReplies(contexts: readonly RatedContext[], embedder: Embedder): Promise<readonly RatedReply[]> {
  const replies: RatedReply[] = [];
  for (const [at, { context, fact, responses }] of contexts.entries()) {
    const facts = fact.split('\n').flatMap((text) => (text.trim() === '' ? [] : [text.replace(/^your persona: /, '')]));
    const persona = parsePersona({ name: 'Speaker', statements: facts.map((text) => ({ text, visibility: 'public' })) });
    const rules = gymRules(persona, embedder.basis === 'lexical' ? null : embedder);
    const message = context.trim().split('\n').at(-1) ?? '';
    for (const item of responses) {
      const text = item.response.trim();
      const [reply, last, ...others] = await embedder.embed([text, message, ...facts]);
      const { alignments } = await alignLines([{ event: 1, text, to: null }], persona, { nli: lexicalNli, embedder });
      const near = (vector: Float32Array | undefined) => (vector === undefined || reply === undefined ? 0 : likeness(vector, reply));
      replies.push({
        context: at,
        uses: item['Uses Knowledge'],
        fits: item['Maintains Context'],
        shown: alignments.some(({ verdict }) => verdict === 'shows'),
        toFact: Math.max(0, ...others.map(near)),
        toMessage: near(last),
        judged: await rules.read('consistency', [message], [text]),
      });
    }
  }
  return replies;
}

const most = (votes: readonly number[]) => (votes.filter((vote) => vote === 1).length * 2 > votes.length ? 1 : 0);
const meanOf = (votes: readonly number[]) => votes.reduce((sum, vote) => sum + vote, 0) / votes.length;

function kappa(pairs: readonly (readonly [number, number])[]): number {
  const table = [0, 1].map((first) => [0, 1].map((second) => pairs.filter(([a, b]) => a === first && b === second).length));
  return cohenKappa(table).kappa;
}

/** All pairs of people on facts; on context, each person against the mean of the other two. */
function peopleApart(replies: readonly RatedReply[]) {
  const uses = replies.flatMap(({ uses: votes }) =>
    votes.flatMap((vote, i) => votes.slice(i + 1).map((other): readonly [number, number] => [vote, other])),
  );
  const fits = replies.flatMap(({ fits: votes }) =>
    votes.map((vote, i) => ({ vote, isFit: meanOf(votes.filter((_, other) => other !== i)) > 2 })),
  );
  return { uses, fits };
}

/** What a judge is asked about each reply, with the label of most people. */
function labeledTexts(contexts: readonly RatedContext[], label: 'uses' | 'fits'): readonly LabeledText[] {
  const question =
    label === 'uses' ? 'Does the reply use one of these facts about its speaker?' : 'Is the reply a good answer to the last message?';
  return contexts.flatMap(({ context, fact, responses }, group) =>
    responses.map((item) => {
      const facts = label === 'uses' ? `Facts about the speaker of the reply:\n${fact.replaceAll('your persona: ', '- ').trim()}\n\n` : '';
      const talk = context.trim().split('\n').slice(-4).join('\n');
      const prompt = `${facts}Conversation:\n${talk}\n\nReply: ${item.response.trim()}\n\n${question} Answer yes or no.`;
      const isYes = label === 'uses' ? most(item['Uses Knowledge']) === 1 : meanOf(item['Maintains Context']) > 2;
      return { group, prompt, isYes };
    }),
  );
}

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const file = flags['labels'];
  const contexts = typeof file === 'string' ? (JSON.parse(readFileSync(file, 'utf8')) as readonly RatedContext[]) : sample;
  const encoder = await installedEncoder();
  const draws = sizeOf(flags, 'draws', 1000, 10);
  const estimate = (name: string, unit: string, replies: readonly RatedReply[], of: (replies: readonly RatedReply[]) => number): Figure => {
    const dice = rng(7001, name);
    const groups = [...Map.groupBy(replies, ({ context }) => context).values()];
    const values = Array.from({ length: draws }, () => of(groups.flatMap(() => dice.pick(groups)))).sort((a, b) => a - b);
    const [low = 0, high = 0] = [values[Math.floor(0.025 * draws)], values[Math.ceil(0.975 * draws) - 1]];
    return { name, value: of(replies), unit, note: `${low.toFixed(3)} to ${high.toFixed(3)}, contexts drawn again` };
  };
  const curve = (replies: readonly RatedReply[], isHigh: (reply: RatedReply) => boolean, value: (reply: RatedReply) => number) =>
    areaUnderCurve(replies.filter(isHigh).map(value), replies.filter((reply) => !isHigh(reply)).map(value)).value;
  const isUsing = ({ uses }: RatedReply) => most(uses) === 1;
  const isFitting = ({ fits }: RatedReply) => meanOf(fits) > 2;
  if (flags['model'] !== undefined || flags['server'] !== undefined)
    return [
      ...(await judgeLabels('uses a fact', labeledTexts(contexts, 'uses'), flags)),
      ...(await judgeLabels('fits the context', labeledTexts(contexts, 'fits'), flags)),
    ];
  const figures: Figure[] = [];
  for (const embedder of encoder === null ? [lexicalEmbedder] : [lexicalEmbedder, encoder]) {
    const replies = await readReplies(contexts, embedder);
    const by = embedder.basis === 'lexical' ? 'words' : 'sentence vectors';
    if (embedder.basis === 'lexical') {
      const { uses, fits } = peopleApart(replies);
      figures.push(
        { name: 'replies', value: replies.length, unit: 'replies' },
        { name: 'replies that use a fact', value: replies.filter(isUsing).length / replies.length, unit: 'share' },
        { name: 'two people, uses a fact', value: kappa(uses), unit: 'kappa' },
        {
          ...{ name: 'a person and the other two, fits the context', unit: 'area under the curve, chance .5' },
          value: areaUnderCurve(
            fits.flatMap(({ vote, isFit }) => (isFit ? [vote] : [])),
            fits.flatMap(({ vote, isFit }) => (isFit ? [] : [vote])),
          ).value,
        },
      );
    }
    const pairs = (of: readonly RatedReply[]) => of.map(({ shown, uses }): readonly [number, number] => [Number(shown), most(uses)]);
    figures.push(
      { name: `aligner by ${by}: shows a fact`, value: replies.filter(({ shown }) => shown).length / replies.length, unit: 'share' },
      estimate(`aligner by ${by} and most people, uses a fact`, 'kappa', replies, (of) => kappa(pairs(of))),
      estimate(`likeness to a fact by ${by}, uses a fact`, 'area under the curve, chance .5', replies, (of) =>
        curve(of, isUsing, (reply) => reply.toFact),
      ),
      estimate(`rule judge of PersonaGym by ${by}, uses a fact`, 'area under the curve, chance .5', replies, (of) =>
        curve(of, isUsing, (reply) => reply.judged),
      ),
      estimate(`rule judge of PersonaGym by ${by}, fits the context`, 'area under the curve, chance .5', replies, (of) =>
        curve(of, isFitting, (reply) => reply.judged),
      ),
      estimate(`likeness to the message by ${by}, fits the context`, 'area under the curve, chance .5', replies, (of) =>
        curve(of, isFitting, (reply) => reply.toMessage),
      ),
    );
  }
  return figures;
}
