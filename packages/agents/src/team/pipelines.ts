/**
 * @file Named pipelines of one agent, as data: the modules of their sources, in order. A spec may name one (`"pipeline": "cradle"`) or
 * define its own `modules`; `off` disables modules in either case.
 */

import { isObject, type Json } from '@ludus-agents/kernel/internal/core/index';

export interface KnownPipeline {
  readonly about: string;
  readonly modules: Json;
  /** Measures how new its observations are, and reports it. */
  readonly curiosity?: true;
}

const act = (tell: string) => ({ name: 'act', tell });

export const pipelines: Readonly<Record<string, KnownPipeline>> = {
  cradle: {
    about: 'gather, reflect, infer the task, curate a library of skills and run them, plan, remember (Cradle, arXiv 2403.03186)',
    modules: [
      { name: 'gather', tell: 'Say what you see that matters: objects, texts, what has changed.' },
      {
        name: 'reflect',
        tell: 'Did your last action work? Write "Worked: yes" or "Worked: no", and why.',
        keep: ['Worked'],
      },
      { name: 'infer', tell: 'Say which task is next, and which comes after it: "Task: …".', keep: ['Task'] },
      {
        name: 'skills',
        skills: 'write',
        tell: 'Write down moves that belong together and will be needed again: "Skill NAME: move, move, …".',
      },
      { name: 'plan', tell: 'Plan the next actions for the task, by the skills you have.' },
      { name: 'remember', tell: 'Sum up everything so far that you will need later: "Summary: …" in one line.', keep: ['Summary'] },
      act('Do the first action of the plan.'),
    ],
  },
  pangu: {
    about: 'named functions that hold functions: think (plan, reflect), then act (Pangu-Agent, arXiv 2312.14878)',
    modules: [
      {
        name: 'think',
        modules: [
          { name: 'plan', tell: 'Write a plan: "Plan: …" in one line.', keep: ['Plan'] },
          { name: 'reflect', tell: 'Say what in the plan may be wrong, and how you would know.', keep: ['Doubt'] },
        ],
      },
      act('Act by the plan.'),
    ],
  },
  poact: {
    about: 'choose a policy (plan, thought or code); each has an action space, and code is run (PoAct, arXiv 2501.07054)',
    modules: [
      { name: 'policy', tell: 'Choose how to go on: "Policy: plan", "Policy: thought" or "Policy: code".', keep: ['Policy'] },
      { name: 'plan', when: 'Policy: plan', narrow: 8, tell: 'Write the steps that are left, and which of them is next.' },
      { name: 'thought', when: 'Policy: thought', narrow: 4, tell: 'Think the next step through, with what speaks against it.' },
      {
        name: 'code',
        when: 'Policy: code',
        code: true,
        narrow: 1,
        tell: 'Work the next step out as a program in a block of JavaScript; the value of its last line is the output.',
      },
      { name: 'review', tell: 'Which ways are closed? Write "Closed: …", so that they are not tried again.', keep: ['Closed'] },
      act('Act.'),
    ],
  },
  fasta: {
    about: 'routines mined from moves that worked are run first, slow search only where none fits or one failed (FaSTA*, arXiv 2506.20911)',
    modules: [
      { name: 'fast', skills: 'auto', when: 'Never:', tell: '' },
      { name: 'slow', tell: 'Search: list the ways there are, what each costs and how good it is, and take the best.' },
      act('Act.'),
    ],
  },
  gitm: {
    about: 'sub-goals from text knowledge, planned again after failure, with procedures that worked (GITM, arXiv 2305.17144)',
    modules: [
      {
        name: 'decompose',
        knowledge: 12,
        tell: 'Split the goal by what you know into sub-goals, the first to be done first: "Goals: …" in one line.',
        keep: ['Goals'],
      },
      { name: 'feedback', tell: 'What did the last action do? Write "Failed: no", or "Failed: yes" and why.', keep: ['Failed'] },
      { name: 'replan', when: 'Failed: yes', knowledge: 12, tell: 'Change the sub-goals: "Goals: …" in one line.', keep: ['Goals'] },
      { name: 'recall', skills: 'write', tell: 'If a sub-goal is reached, write the moves that did it: "Skill GOAL: move, move, …".' },
      act('Act for the first sub-goal that is open.'),
    ],
  },
  hla: {
    about: 'a slow mind for the intention, a fast mind that moves, an executor where it names no move (HLA, arXiv 2312.15224)',
    modules: [
      {
        name: 'slow',
        every: 4,
        tell: 'Say what you want to reach in the next turns, and what the others want: "Intent: …".',
        keep: ['Intent'],
      },
      { name: 'fast', moves: true, tell: 'By the intention and what you see now, name the next move; drop the intention if it is stale.' },
      act('Do exactly that.'),
    ],
  },
  idea: {
    about: 'abduce hypotheses, deduce a test, act, induce (IDEA, arXiv 2408.10455)',
    modules: [
      {
        name: 'induce',
        tell: 'Which hypotheses does what you saw contradict? Write those that are left: "Hypotheses: …".',
        keep: ['Hypotheses'],
      },
      { name: 'abduce', tell: 'What else could explain everything so far? Add it: "Hypotheses: …".', keep: ['Hypotheses'] },
      { name: 'deduce', tell: 'Which act tells most of these apart, or uses what is certain? Say what each hypothesis predicts.' },
      act('Do it.'),
    ],
  },
  'predict-first': {
    about: 'predict what comes, be held to it, and plan by predictions only while they come true (a model of the environment as a module)',
    modules: [
      { name: 'plan', trust: 0.6, tell: 'Your predictions can be relied on: say for each move what would come of it, two moves deep.' },
      { name: 'predict', tell: 'Say what you will be told after your move: "Expect: …" in one line.', keep: ['Expect'] },
      act('Make the move.'),
    ],
  },
  proagent: {
    about: 'believe what a partner wants, predict what it does, correct the belief where that did not come (ProAgent, arXiv 2308.11339)',
    modules: [
      {
        name: 'correct',
        after: 'miss',
        tell: 'Your last prediction did not come true. By what your partner really did, what does it want? Write "Intention: …".',
        keep: ['Intention'],
      },
      { name: 'believe', unless: 'Intention:', tell: 'What does your partner want? Write "Intention: …".', keep: ['Intention'] },
      { name: 'predict', tell: 'By that intention, what will your partner be seen to do next? Write "Expect: …".', keep: ['Expect'] },
      act('Act so that it goes with what your partner will do.'),
    ],
  },
  curious: {
    about: 'look for what is new (one over the root of visits, counted by the program), then act',
    curiosity: true,
    modules: [{ name: 'explore', tell: 'Which move leads where you have not been? Weigh that against what pays.' }, act('Act.')],
  },
};

export const pipelineNames: readonly string[] = Object.keys(pipelines);

/** The modules of a pipeline that can be switched off, including those that contain others: all but the one that answers. */
export function moduleNames({
  pipeline,
  modules,
}: {
  readonly pipeline?: string | undefined;
  readonly modules?: readonly Json[] | undefined;
}): readonly string[] {
  const ownModules = modules ?? (pipeline === undefined ? [] : (pipelines[pipeline]?.modules as readonly Json[]));
  const namesIn = (item: Json): readonly string[] => {
    if (!isObject(item)) return [];
    const within = Array.isArray(item['modules']) ? (item['modules'] as readonly Json[]).flatMap(namesIn) : [];
    return [String(item['name']), ...within];
  };
  const answering = lastNames(ownModules.at(-1));
  return ownModules.flatMap(namesIn).filter((name) => !answering.includes(name));
}

/** The name of the last module, and of the modules that contain it. */
function lastNames(item: Json | undefined): readonly string[] {
  if (!isObject(item)) return [];
  return [String(item['name']), ...(Array.isArray(item['modules']) ? lastNames((item['modules'] as readonly Json[]).at(-1)) : [])];
}
