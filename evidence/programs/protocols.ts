/**
 * @file Team protocols on questions with known arithmetic; scripts of given accuracy replace the models. Options: ground, arm,
 * questions, seed. Prints the share of right answers, and how often the mechanism acted.
 *
 * "refine": eight attributes, each wrong with probability .2; a judge errs in .1 of its verdicts. Arms: on, or "independent" (the maker
 * does not hear the judge). "graph": two parts, solved with .95 or .35, checked with .1 errors, four tries in all. Arms: on (tries go
 * to failed checks) or "schedule".
 *
 * "plans": three clues in 16 boxes; each clue names the next box. Arms: on, or "once" (plans are not revised). "guide": a habit that is
 * wrong where the map has changed. Arms: on, "alone" (share 0), "stranger" (advice for another map).
 *
 * "design": four kinds of questions, members with hidden skills. Arms: on, or "first" (no redesign). "council": eight members; those
 * with the highest importance in 40 questions continue. Arms: on, "random", "best".
 */

import { type Agent, type Json, type JsonObject, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { forEachOf } from './_apprentice.ts';
import { scripts } from './_stages.ts';
import { askTeam, type Question, quiz, type Request, speaker } from './_teams.ts';

interface Ground {
  readonly draw: (random: Rng) => Question;
  readonly settings: (arm: string) => JsonObject;
  readonly members: (arm: string, count: () => void) => Readonly<Record<string, Agent>>;
}

const letters = ['A', 'B', 'C', 'D'];
const otherThan = (letter: string, random: Rng) => random.pick(letters.filter((each) => each !== letter));
const wordsAfter = (text: string, label: string) => new RegExp(`${label} ([A-Z0-9 ]+)`).exec(text)?.[1].trim() ?? '';
const lastOf = (texts: readonly string[], pattern: RegExp) => texts.flatMap((text) => pattern.exec(text)?.[1] ?? []).at(-1);

const refine: Ground = {
  draw: (random) => {
    const right = Array.from({ length: 8 }, () => random.pick(letters)).join(' ');
    return { text: `Make ${right}.`, right };
  },
  settings: (arm) => ({
    ...{ protocol: 'refine', rounds: 4, threshold: 10 },
    ...(arm === 'independent' && { links: [['reader', 'maker'], ...['reader', 'maker'].map((name) => [name, 'judge'])] }),
  }),
  members: (_, count) => ({
    reader: speaker('reader', ({ question }) => `Wanted: ${wordsAfter(question, 'Make')}`),
    maker: speaker('maker', ({ question, heard: texts, random }) => {
      const wanted = wordsAfter(question, 'Make').split(' ');
      const faults = lastOf(texts, /Wrong: ([\d ]+)/)
        ?.split(' ')
        .map(Number);
      const before = lastOf(texts, /Answer: ([A-D ]+)/)?.split(' ');
      if (faults !== undefined) count();
      const attempt = wanted.map((letter, i) => {
        if (faults !== undefined && before !== undefined && !faults.includes(i)) return before[i];
        return random.next() < 0.2 ? otherThan(letter, random) : letter;
      });
      return `Answer: ${attempt.join(' ')}`;
    }),
    judge: speaker('judge', ({ question, heard: texts, random }) => {
      const wanted = wordsAfter(question, 'Make').split(' ');
      const attempt = (lastOf(texts, /Answer: ([A-D ]+)/) ?? '').split(' ');
      const faults = wanted.flatMap((letter, i) => ((attempt[i] !== letter) !== random.next() < 0.1 ? [i] : []));
      return `Score: ${10 - faults.length}${faults.length === 0 ? '' : `\nWrong: ${faults.join(' ')}`}`;
    }),
  }),
};

const graph: Ground = {
  draw: (random) => {
    const right = `${10 + random.int(90)} ${10 + random.int(90)}`;
    return { text: `Parts ${right}. Hard: ${random.pick(['none', 'first', 'second', 'both'])}.`, right };
  },
  settings: () => ({ protocol: 'thought-graph', most: 20 }),
  members: (arm, count) => ({
    lead: speaker('lead', ({ ask, heard: texts }) => {
      if (ask.includes('1 open') && !ask.includes('2 ')) return 'Do: decompose 1';
      if (ask.includes('2 open')) return 'Do: solve 2';
      if (ask.includes('3 open')) return 'Do: solve 3';
      if (ask.includes('4 solved')) return 'Do: answer 4';
      const tries = texts.filter((text) => text.startsWith('Part')).length;
      if (tries >= 4) return 'Do: aggregate 2 3';
      if (arm !== 'on') return tries === 2 ? 'Do: refine 2' : 'Do: refine 3';
      const marks = [2, 3].map((id) => Number(lastOf(texts, new RegExp(`Part ${id}[\\s\\S]*Mark: (\\d)`))));
      if (marks.every((mark) => mark > 5)) return 'Do: aggregate 2 3';
      count();
      return `Do: refine ${marks[0] <= 5 ? 2 : 3}`;
    }),
    worker: speaker('worker', ({ question, ask, heard: texts, random }) => {
      if (ask.includes('Split')) return 'Part: first\nPart: second';
      const results = [2, 3].map((id) => lastOf(texts, new RegExp(`Part ${id}[\\s\\S]*Answer: (\\d+)`)) ?? '0');
      if (ask.includes('Make one')) return `Answer: ${results.join(' ')}`;
      const id = ask.includes('thought 2') ? 2 : 3;
      const mark = Number(lastOf(texts, new RegExp(`Part ${id}[\\s\\S]*Mark: (\\d)`)) ?? 0);
      if (mark > 5) return `Part ${id}\nMark: 9\nAnswer: ${results[id - 2]}`;
      const right = /Parts (\d+) (\d+)/.exec(question)?.[id - 1] ?? '';
      const isHard = question.includes('both') || question.includes(id === 2 ? 'first' : 'second');
      const isRight = random.next() < (isHard ? 0.35 : 0.95);
      const passes = isRight !== random.next() < 0.1;
      return `Part ${id}\nMark: ${passes ? 9 : 1}\nAnswer: ${isRight ? right : Number(right) + 1}`;
    }),
  }),
};

const boxes = 16;
const plans: Ground = {
  draw: (random) => {
    const places = random.shuffle(Array.from({ length: boxes }, (_, i) => i)).slice(0, 3);
    const clues = places.map(() => random.pick(letters));
    return { text: `Boxes ${places.map((place, i) => `${place}${clues[i]}`).join(' ')}.`, right: clues.join('') };
  },
  settings: () => ({ protocol: 'joint-plans', rounds: 3, most: 40 }),
  members: (arm, count) => {
    const member = (name: string, index: number) =>
      speaker(name, (request) => {
        const { ask, heard: texts, before, random } = request;
        const hidden = secretOf(request);
        if (ask.includes('plan of your own')) {
          const order = random.shuffle(Array.from({ length: boxes }, (_, i) => i)).slice(0, 3);
          return order.map((box, i) => `Step ${i + 1}: open ${box}`).join('\n');
        }
        const opened = texts.flatMap((text) => [...text.matchAll(/Opened (\d+)/g)].map((match) => Number(match[1])));
        const clues = [...new Set(texts.flatMap((text) => [...text.matchAll(/clue (\d)/g)].map((match) => Number(match[1]))))];
        if (!ask.includes('Do step')) return `Answer: ${hidden.map(({ letter }, i) => (clues.includes(i) ? letter : 'X')).join('')}`;
        const step = Number(/Do step (\d)/.exec(ask)?.[1]);
        const planned = Number(new RegExp(`Step ${step}: open (\\d+)`).exec(before[0] ?? '')?.[1]);
        const named = texts.flatMap((text) => [...text.matchAll(/next is (\d+)/g)].map((match) => Number(match[1])));
        const open = [...named, ...Array.from({ length: boxes }, (_, i) => i)].filter((box) => !opened.includes(box));
        const box = arm === 'on' && step > 1 ? (open[Math.min(index, open.length - 1)] ?? planned) : planned;
        if (box !== planned) count();
        const at = hidden.findIndex(({ place }) => place === box);
        const next = hidden[at + 1] === undefined ? '' : `, next is ${hidden[at + 1].place}`;
        return `Opened ${box}${at < 0 ? '' : `: clue ${at}${next}`}`;
      });
    return { Ann: member('Ann', 0), Ben: member('Ben', 1), Cleo: member('Cleo', 2) };
  },
};

function secretOf({ question }: Request) {
  return [...question.matchAll(/(\d+)([A-D])/g)].map((match) => ({ place: Number(match[1]), letter: match[2] }));
}

const guide: Ground = {
  draw: (random) => {
    const [habit, right] = [random.pick(letters), random.pick(letters)];
    const isChanged = random.next() < 0.6;
    return { text: `Habit ${habit}. Map ${isChanged ? right : habit}.`, right: isChanged ? right : habit, choices: letters };
  },
  settings: (arm) => ({ protocol: 'guidance', rounds: 2, share: arm === 'alone' ? 0 : 0.5 }),
  members: (arm) => ({
    lead: speaker('lead', ({ question }) => {
      const habit = wordsAfter(question, 'Habit');
      return `${letters.map((move) => `Weight ${move}: ${move === habit ? 0.7 : 0.1}`).join('\n')}\nAnswer: ${habit}`;
    }),
    grounder: speaker('grounder', ({ question }) => `The map says ${wordsAfter(question, 'Map')}.`),
    advisor: speaker('advisor', ({ question, random }) => {
      const right = wordsAfter(question, 'Map');
      const advice = arm === 'stranger' ? random.pick(letters) : random.next() < 0.2 ? otherThan(right, random) : right;
      return letters.map((move) => `Guide ${move}: ${move === advice ? 0.94 : 0.02}`).join('\n');
    }),
    monitor: speaker('monitor', ({ question, ask, random }) => {
      const isWell = ask.includes(`choice is ${wordsAfter(question, 'Map')}`);
      return `Well: ${isWell !== random.next() < 0.15 ? 'yes' : 'no'}`;
    }),
  }),
};

const skills = ['sums', 'words', 'dates'];
const design: Ground = {
  draw: (random) => {
    const right = String(10 + random.int(90));
    return { text: `A question about ${random.pick(skills)}: ${right}.`, right };
  },
  settings: (arm) => ({ protocol: 'designer', rounds: 3, most: 40, ...(arm === 'first' && { off: ['redesign'] }) }),
  members: () => {
    const names = ['Ann', 'Ben', 'Cleo'];
    const solver = (name: string, skill: string) =>
      speaker(name, ({ question, random }) => {
        const right = /: (\d+)/.exec(question)?.[1] ?? '';
        const isRight = random.next() < (question.includes(skill) ? 0.9 : 0.3);
        return `Answer: ${isRight ? right : Number(right) + 1 + random.int(5)}`;
      });
    const lead = speaker('lead', ({ question, ask, heard: texts, random }) => {
      const right = /: (\d+)/.exec(question)?.[1] ?? '';
      if (ask.includes('Block NAME')) {
        const used = texts.flatMap((text) => /Block b: ask (\w+)/.exec(text)?.[1] ?? []);
        return `Block b: ask ${random.pick(names.filter((name) => !used.includes(name)))}; solve it`;
      }
      const answer = lastOf(texts, /Answer: (\d+)/) ?? '';
      if (!ask.includes('Solved NAME')) return `Answer: ${answer}`;
      const isSolved = (answer === right) !== random.next() < 0.2;
      return `Solved b: ${isSolved ? 'yes' : 'no'}\nAnswer: ${answer}`;
    });
    return { lead, ...Object.fromEntries(names.map((name, i) => [name, solver(name, skills[i])])) };
  },
};

const grounds: Readonly<Record<string, Ground>> = { refine, graph, plans, guide, design };

export default async function run(
  { ground = 'refine', arm = 'on', questions = 60, seed = 1 }: ProgramOptions,
  stage = scripts,
): Promise<Json> {
  if (ground === 'council') return council(String(arm), Number(questions), Number(seed));
  const { draw, settings, members } = grounds[String(ground)];
  let [right, acted] = [0, 0];
  await forEachOf(Array.from({ length: Number(questions) }), async (_, i) => {
    const scripted = Object.entries(members(String(arm), () => acted++));
    const agents = Object.fromEntries(scripted.map(([name, script]) => [name, stage.player(script)]));
    const { paid: reward, mind } = await askTeam(quiz(draw), settings(String(arm)), agents, Number(seed) * 1000 + i);
    right += reward / Number(questions);
    acted += (mind?.acted['advised'] ?? 0) + (mind?.acted['redesigns'] ?? 0);
  });
  return { right, acted };
}

const accuracies = [0.3, 0.35, 0.4, 0.45, 0.55, 0.65, 0.75, 0.2];

/** Eight members answer and rate each other; four go on to fresh questions. Raters are right in two of three verdicts. */
async function council(arm: string, questions: number, seed: number): Promise<Json> {
  const choices = [...letters, 'E', 'F'];
  const environment = quiz((random) => {
    const right = random.pick(choices);
    return { text: `The answer is ${right}.`, right, choices };
  });
  const member = (index: number) =>
    speaker(`m${index}`, ({ question, ask, heard: texts, random }) => {
      const right = wordsAfter(question, 'answer is');
      const answer = random.next() < accuracies[index] ? right : random.pick(choices.filter((choice) => choice !== right));
      const rated = [...ask.matchAll(/Rate (m\d)/g)].map((match) => match[1]);
      const rates = rated.map((name, i) => {
        const isRight = texts[i]?.includes(`Answer: ${right}`) === true;
        return `Rate ${name}: ${isRight !== random.next() < 1 / 3 ? 5 : 1}`;
      });
      return [...rates, `Answer: ${answer}`].join('\n');
    });
  const everybody = accuracies.map((_, i) => i);
  const teamOf = (indexes: readonly number[]) => Object.fromEntries(indexes.map((i) => [`m${i}`, member(i)]));
  const settings = { protocol: 'rounds', rounds: 2, most: 40 };
  const importance = new Array<number>(accuracies.length).fill(0);
  let acted = 0;
  if (arm === 'on')
    for (let i = 0; i < 40; i++) {
      const { mind } = await askTeam(environment, settings, teamOf(everybody), seed * 1000 + 500 + i);
      const totals = (mind?.result['importance'] ?? {}) as Readonly<Record<string, number>>;
      for (const index of everybody) importance[index] += totals[`m${index}`] ?? 0;
      acted++;
    }
  const scores = arm === 'on' ? importance : accuracies;
  const ranked = arm === 'random' ? rng(seed, 'team').shuffle(everybody) : [...everybody].sort((a, b) => scores[b] - scores[a]);
  const team = ranked.slice(0, 4);
  let right = 0;
  for (let i = 0; i < questions; i++) right += (await askTeam(environment, settings, teamOf(team), seed * 1000 + i)).paid / questions;
  return { right, acted, accuracy: team.reduce((sum, index) => sum + accuracies[index] / 4, 0) };
}
