/**
 * @file An orchestrator with a task ledger, a progress ledger, and a stall counter (Magentic-One, arXiv 2411.04468), whose members write
 * tools for each other (AgentOrchestra, arXiv 2506.12508; `tools.ts`).
 *
 * The ledgers last for the whole episode. The lead writes facts and a plan once. At every move it reads them, judges the progress, and asks
 * a member, lets a member make the move, or makes it itself. A report without progress, or in a loop, increments the counter; any other
 * report decrements it. At three the lead makes a new plan.
 *
 * Differences: observed evidence takes precedence over the report (a move that changed nothing but the clock, or that was made before in
 * the same situation with the same result, increments the counter). Giving the same task to the same member three times in one turn is a
 * stall, because a counter that also decrements never reaches the limit when reports alternate.
 */

import type { JsonObject, Seat } from '@ludus-agents/kernel/internal/core/index';
import type { Discussion, DiscussionResult, Protocol, Speech } from '../protocol.ts';
import { answerWords, attempts, isOn, listFrom, numberFrom, othersOf, speechesOf, textFrom, withTexts } from '../protocol.ts';
import { isNo, isYes, lineIn, linesIn } from '../speech.ts';
import { afterUse, type TeamTool, toolForm, toolsIn, toolWords, withTool, writtenTool } from '../tools.ts';

const mostStalls = 3;
const mostFacts = 40;
const mostEntries = 16;
const longestPlan = 4000;

export const orchestrator: Protocol = {
  about: 'the lead keeps a ledger for the whole episode, gives tasks, notices stalls and plans again (Magentic-One)',
  mechanisms: {
    ledger: 'facts, plan and progress are not kept from move to move',
    stalls: 'stalls are not counted, and the lead never plans again',
    tools: 'no tools are written or used',
  },

  tools: (discussion) => ledgerOf(discussion).tools,

  next(discussion) {
    const { said, lead, choices } = discussion;
    const last = said.at(-1);
    const hears = speechesOf(discussion, () => true);
    const keeps = isOn(discussion, 'ledger');
    const team = othersOf(discussion).join(', ');
    const state = ledgerOf(discussion);
    const end = (answer: string, more: Partial<DiscussionResult> = {}) => ({ result: { answer, ...resultOf(discussion, state), ...more } });
    const askLedger = (tell: string) => ({ asks: [{ seat: lead, part: 'ledger', tell: `${notesOf(state)}${tell}`, hears }] });
    const askMove = (tell: string) => ({
      asks: [{ seat: lead, part: 'answer', tell: `${tell} ${answerWords(discussion)}`, hears, choices, act: true as const }],
    });
    if (last === undefined && keeps && (state.plan === '' || isBegun(discussion)))
      return askLedger(
        `${state.plan === '' ? '' : 'That was another episode; keep only what still holds. '}Write down the facts and the plan for your team (${team}): "Plan: …" in one line, and a line "Fact: …" for each fact.`,
      );
    if (last === undefined && state.stalled)
      return askLedger('There is no progress. Write down what is known now and a new plan: "Plan: …", and lines "Fact: …".');
    if (last?.part === 'answer' || last?.part === 'act')
      return end(last.answer ?? '', last.part === 'act' ? { by: last.seat } : state.stalled ? { contested: true } : {});
    if (last?.part === 'progress') {
      const mover = memberIn(discussion, lineIn(last.text, 'act'));
      const next = nextIn(discussion, last);
      const [wanted] = isOn(discussion, 'tools') ? linesIn(last.text, 'make') : [];
      if (wanted !== undefined) {
        const [name, about] = wanted;
        const smith = next?.seat ?? othersOf(discussion)[0] ?? lead;
        const tell = `${lead} asks you to write a tool "${name}": ${about}. ${toolForm}`;
        return { asks: [{ seat: smith, part: `make ${name}`, tell, hears }] };
      }
      const isDone = isYes(lineIn(last.text, 'done')) || (next === null && !isUsing(last));
      if (mover !== null) {
        const task = lineIn(last.text, 'task') ?? '';
        const tell = `${lead} asks you to make the move${task === '' ? '' : `: ${task}`}. ${answerWords(discussion)}`;
        return { asks: [{ seat: mover, part: 'act', tell, hears, choices, act: true }] };
      }
      if (isDone && last.answer !== null) return end(last.answer);
      if (isDone) return askMove(`${outputWords(discussion, state)}Make the move of your team.`);
      if (next === null) return { asks: [progressAsk()] };
      if (state.stalled && state.plans < discussion.rounds)
        return askLedger('There is no progress. Write down what is known now and a new plan: "Plan: …", and lines "Fact: …".');
      // Nothing is left to try, so the lead makes the move.
      if (state.stalled) return askMove('There is no progress, and no time for a new plan.');
      const tell = `${toolWords(state.tools)}${lead} asks you: ${next.task}`;
      return { asks: [{ seat: next.seat, part: 'task', tell, hears }] };
    }
    return { asks: [progressAsk()] };

    function progressAsk() {
      const makes = isOn(discussion, 'tools') ? ' "Make NAME: what it computes" has a member write a tool.' : '';
      const form = `"Progress: yes" or "Progress: no", "Loop: yes" or "Loop: no", a line "Fact: …" for each new fact; then "Next: NAME" (one of ${team}) and "Task: …" to ask a member, "Act: NAME" and "Task: …" to let a member make the move, or "Done: yes" to make it yourself.${makes}`;
      const tell = `${notesOf(state)}${outputWords(discussion, state)}Judge the state, in lines: ${form} ${answerWords(discussion)}`;
      return { seat: lead, part: 'progress', tell, hears, choices, act: true as const };
    }
  },
};

/** Whether this is the first turn of an episode, with the ledger of an earlier one. */
function isBegun({ turn, said, memory }: Discussion): boolean {
  return turn === 0 && !said.some(({ part }) => part === 'ledger') && memory['plan'] !== undefined;
}

/** Returns whether the lead waits for the output of a tool. */
function isUsing({ text }: Speech): boolean {
  return linesIn(text, 'use').length > 0 && (linesIn(text, 'output').length > 0 || linesIn(text, 'failed').length > 0);
}

/** Returns the tool outputs of the lead in this turn, the tools that were refused, and the available tools. */
function outputWords({ said, lead }: Discussion, { tools, refused }: Ledger): string {
  const rows = said
    .filter(({ seat }) => seat === lead)
    .flatMap(({ text }) => text.split('\n').filter((row) => /^(?:Output|Failed) /.test(row)));
  const ledger = [...rows, ...refused].join('\n');
  return `${toolWords(tools)}${ledger === '' ? '' : `${ledger}\n`}`;
}

/** Returns the member that the lead asks next, and the question, or null if the lead names no member. */
function nextIn(discussion: Discussion, { text }: Speech): { readonly seat: Seat; readonly task: string } | null {
  const seat = memberIn(discussion, lineIn(text, 'next'));
  return seat === null ? null : { seat, task: lineIn(text, 'task') ?? '' };
}

function memberIn(discussion: Discussion, name: string | null): Seat | null {
  const wanted = name?.toLowerCase() ?? '';
  return othersOf(discussion).find((member) => member.toLowerCase() === wanted) ?? null;
}

/**
 * Returns the stall counter after each progress report. It increases without progress or in a loop, decreases otherwise, and resets to zero
 * at three.
 */
export function stallCounts(reports: readonly boolean[], start = 0): readonly number[] {
  let stalls = start;
  return reports.map((progress) => {
    if (stalls >= mostStalls) stalls = 0;
    stalls = progress ? Math.max(0, stalls - 1) : stalls + 1;
    return stalls;
  });
}

interface Ledger {
  readonly plan: string;
  readonly facts: readonly string[];
  /** Earlier moves and their results. */
  readonly entries: readonly string[];
  readonly stalls: number;
  readonly stalled: boolean;
  /** The number of plans in this turn, not counting the first. */
  readonly plans: number;
  readonly noticed: number;
  /** Whether the last move changed nothing or repeated a loop. */
  readonly isStill: boolean;
  readonly tools: readonly TeamTool[];
  /** Tools of this turn that failed their tests, with the reason. */
  readonly refused: readonly string[];
  readonly made: number;
  readonly used: number;
  /** The number of uses of tools from earlier turns. */
  readonly reused: number;
}

/** Returns the current ledger: the stored one, updated with what was said in this turn. */
function ledgerOf(discussion: Discussion): Ledger {
  const { said, turn } = discussion;
  const isStill = turn > 0 && discussion.repeats + discussion.loops > 0;
  const counts = isOn(discussion, 'stalls');
  let plan = textFrom(discussion, 'plan');
  let facts = withTexts(listFrom(discussion, 'facts'), [], mostFacts);
  const entries = attempts(discussion, 'entries', mostEntries);
  let stalls = numberFrom(discussion, 'stalls');
  let tasks: Record<string, number> = {};
  let [reports, plans, noticed, toolCount, used, reused] = [0, 0, 0, 0, 0, 0];
  const hasTools = isOn(discussion, 'tools');
  let tools = hasTools ? toolsIn(discussion.memory) : [];
  const refused: string[] = [];
  const wanted = new Map<string, string>();
  let isOld = turn === 0 && plan !== '';
  const before = stalls;
  if (counts && isStill && before < mostStalls) stalls = stallCounts([false], stalls)[0];
  let stalled = counts && stalls >= mostStalls;
  // A stall noticed at the end of the last turn was counted in that turn.
  if (stalled && before < mostStalls) noticed++;
  for (const speech of said) {
    if (speech.seat === discussion.lead || discussion.hears(discussion.lead, speech.seat))
      facts = withTexts(facts, factsIn(speech), mostFacts);
    if (hasTools) {
      const outputs = linesIn(speech.text, 'output').filter(([name]) => tools.some((tool) => tool.name === name));
      used += outputs.length;
      reused += outputs.filter(([name]) => tools.some((tool) => tool.name === name && tool.since < turn)).length;
      tools = afterUse(tools, speech.text);
      if (speech.part === 'progress') for (const [name, about] of linesIn(speech.text, 'make')) wanted.set(name, about);
      if (speech.part.startsWith('make ')) {
        const name = speech.part.slice('make '.length);
        const tool = writtenTool(name, wanted.get(name) ?? '', speech.text, turn);
        if (typeof tool === 'string') refused.push(`The tool ${name} was refused: ${tool}.`);
        else [tools, toolCount] = [withTool(tools, tool), toolCount + 1];
      }
    }
    if (speech.part === 'ledger') {
      // The first ledger of an episode replaces that of an earlier one.
      if (isOld) [plan, facts, isOld] = ['', factsIn(speech), false];
      if (plan !== '') plans++;
      plan = (lineIn(speech.text, 'plan') ?? speech.text).slice(0, longestPlan);
      [stalls, stalled, tasks, reports] = [0, false, {}, 0];
    }
    if (speech.part !== 'progress') continue;
    const next = nextIn(discussion, speech) ?? actIn(discussion, speech);
    if (next !== null) tasks[`${next.seat} ${next.task}`] = (tasks[`${next.seat} ${next.task}`] ?? 0) + 1;
    // The first report of an episode precedes any work, so it cannot report progress.
    const isReport = reports++ > 0 || turn > 0;
    if (!counts || !isReport || isStill) continue;
    stalls = stallCounts([!isNo(lineIn(speech.text, 'progress')) && !isYes(lineIn(speech.text, 'loop'))], stalls)[0];
    const isStuck = stalls >= mostStalls || Math.max(0, ...Object.values(tasks)) >= 3;
    if (isStuck && !stalled) noticed++;
    stalled = isStuck;
  }
  return { plan, facts, entries, stalls, stalled, plans, noticed, isStill, tools, refused, made: toolCount, used, reused };
}

function actIn(discussion: Discussion, { text }: Speech): { readonly seat: Seat; readonly task: string } | null {
  const seat = memberIn(discussion, lineIn(text, 'act'));
  return seat === null || lineIn(text, 'task') === null ? null : { seat, task: lineIn(text, 'task') ?? '' };
}

function factsIn({ text, part, seat }: Speech): readonly string[] {
  const facts = text.split('\n').flatMap((row) => lineIn(row, 'fact') ?? []);
  return part === 'task' && facts.length === 0 ? [`${seat}: ${text.replace(/\s+/g, ' ').slice(0, 200)}`] : facts;
}

/** Formats the ledgers for the lead. */
function notesOf({ plan, facts, entries }: Ledger): string {
  const parts = [
    ...(plan === '' ? [] : [`Plan: ${plan}`]),
    ...(facts.length === 0 ? [] : [`Facts: ${facts.join(' | ')}`]),
    ...(entries.length === 0 ? [] : [`Done so far: ${entries.join(' | ')}`]),
  ];
  return parts.length === 0 ? '' : `Your ledger:\n${parts.join('\n')}\n`;
}

function resultOf(discussion: Discussion, state: Ledger): Partial<DiscussionResult> {
  const { said } = discussion;
  const { plan, facts, entries, stalls, plans, noticed, isStill, tools, made, used, reused, refused } = state;
  const mover = said.at(-1)?.part === 'act' ? said.at(-1) : undefined;
  const tried = `${mover?.seat ?? discussion.lead}: ${said.at(-1)?.answer ?? ''}`;
  const ledger: JsonObject = isOn(discussion, 'ledger') ? { plan, facts, entries, stalls, tried } : {};
  const memory: JsonObject = tools.length === 0 ? ledger : { ...ledger, tools };
  return {
    memory,
    revisions: plans,
    acted: {
      ledger: isOn(discussion, 'ledger') && discussion.turn > 0 && textFrom(discussion, 'plan') !== '' ? 1 : 0,
      ...(isOn(discussion, 'stalls') ? { still: isStill ? 1 : 0, stalls: noticed } : {}),
      replans: plans,
      delegated: said.filter(({ part }) => part === 'task' || part === 'act').length,
      ...(isOn(discussion, 'tools') ? { toolsMade: made, toolsRefused: refused.length, toolsUsed: used, toolsReused: reused } : {}),
    },
  };
}
