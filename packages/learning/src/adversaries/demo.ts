/**
 * @file Defenders that are improved without a model: a scripted red team, the lines available to a defender, and a reflection that reads
 * failures. If a model is named, language models play and improve the same seats.
 */

import type { Agent, AgentSpec, AnyEnvironment, Json, Lesson, Script } from '@ludus-agents/kernel/internal/core/index';
import { Fault, nameOf, scripted } from '@ludus-agents/kernel/internal/core/index';
import type { Proposer } from '../prompts/engine.ts';
import { blindLines, editing, type InstructionLine, learnedLines, linesIn, toggle } from '../prompts/proposers/lines.ts';
import { defenderBy, holdLine, linesFor, type RedTeam, redTeams, refuseLine, waysIn } from './scripted.ts';
import { verdictOf } from './verdict.ts';

/** How often a reflection follows its diagnosis instead of a random edit. */
const insight = 0.7;

export interface RedTeamDemo {
  readonly name: string;
  readonly about: string;
  readonly environment: string;
  readonly seat: string;
  readonly tasks: readonly Json[];
  readonly counts: { readonly propose: number; readonly select: number; readonly report: number };
  readonly start: AgentSpec;
  readonly player: (spec: AgentSpec) => Agent;
  readonly proposers: Readonly<Record<string, Proposer>>;
}

/** A defender of a red team, to be improved: `keeper-demo` and `defender-demo`. */
export function redTeamDemo(environment: AnyEnvironment): RedTeamDemo {
  const team = redTeams[nameOf(environment)];
  if (team === undefined)
    throw new Fault('input', `"${nameOf(environment)}" is not a red-team environment. Available: ${Object.keys(redTeams).join(', ')}.`, {
      code: 'E_UNKNOWN_NAME',
    });
  const lines: readonly InstructionLine[] = linesFor(team, 'defence').map((line) => ({ line, component: 'instruction' }));
  const scripts = environment.scripts as Readonly<Record<string, Script>>;
  return {
    name: `${team.defender}-demo`,
    about: `a ${team.defender} in ${nameOf(environment)} that holds against attacks and still serves the honest`,
    environment: nameOf(environment),
    seat: team.defender,
    tasks: [{ benign: 0.5 }],
    counts: { propose: 24, select: 48, report: 200 },
    start: { name: team.defender, kind: 'lawful', texts: { instruction: 'Be helpful.' } },
    player: (spec) => scripted(spec.name, defenderBy(spec, team, scripts)),
    proposers: { reflect: reflector(team, lines), learned: learnedLines(lines), blind: blindLines(lines) },
  };
}

/** Reads the worst episode: adds a defense against a successful attack, or removes a line that refused honest visitors. */
function reflector(team: RedTeam, lines: readonly InstructionLine[]): Proposer {
  return {
    name: 'reflect',
    improver: (round) => ({
      name: 'reflect',
      improve: (spec, lessons, signal) =>
        editing('reflect', round, (texts, dice) => {
          const statement = new Set(Object.values(texts).flatMap((text) => linesIn(text)));
          const match = dice.next() < insight ? diagnosis(team, lessons, statement) : null;
          toggle(texts, { line: match ?? dice.pick(lines).line, component: round.components[0] ?? 'instruction' });
        }).improve(spec, lessons, signal),
    }),
  };
}

/** The line to add or remove for the first fixable failure, in the worst episode that has one. */
function diagnosis(team: RedTeam, lessons: readonly Lesson[], statement: ReadonlySet<string>): string | null {
  for (const { episode } of lessons.toSorted((a, b) => (a.scores[0]?.value ?? 0) - (b.scores[0]?.value ?? 0))) {
    const { harm, refused } = verdictOf(episode.events);
    for (const way of waysIn(team, episode.events)) {
      if (harm && !statement.has(holdLine(way))) return holdLine(way);
      if (refused !== null && refused > 0 && statement.has(refuseLine(way))) return refuseLine(way);
    }
  }
  return null;
}
