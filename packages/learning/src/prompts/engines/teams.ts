/**
 * @file Team design: members are added, the least important are removed, links are changed (DyLAN, arXiv 2310.02170; MasHost, 2506.08507).
 *
 * A member is a named brief (`member/00001`), and `setting/team` lists who reads whom. A proposer's addition becomes the brief of a new
 * member; a member's importance is the score lost without it, with the same seeds. Changes without effect on a few tasks do not reach the
 * gate. Differs: importance is measured by leaving members out instead of asking them to rate each other (if they do, `importance` reads
 * the ratings); the order of changes is random instead of learned.
 */

import { type AgentSpec, canonical, Fault, parameter } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { type Candidate, createChild } from '../candidate.ts';
import type { SpecTexts } from '../components.ts';
import { defineEngine, type Happening, holdChild, type Parts, selectScore } from '../engine.ts';
import { isTeam } from '../nested-texts.ts';
import { Numbering, readProposal, SeenEntries } from '../playbook.ts';
import { changeTeam, type Team } from '../team.ts';
import type { TrialKey } from '../trial-ledger.ts';
import { pairTrials } from '../trial-scores.ts';

const kind = 'member';
const graph = 'setting/team';

const parameters = {
  looks: parameter.integer({
    min: 1,
    max: 256,
    default: 6,
    description: 'tasks on which a change must make a difference before it gets to the gate',
  }),
  briefs: parameter.integer({ min: 1, max: 8, default: 2, description: 'members that may join at once' }),
  most: parameter.integer({ min: 1, max: 32, default: 8, description: 'maximum number of members' }),
  relink: parameter.number({ min: 0, max: 1, default: 0.15, description: 'share of changes that are links' }),
} as const;

export const teams = defineEngine({
  name: 'teams',
  method: 'team design by importance: add, remove, relink',
  source: 'arXiv 2310.02170 and 2506.08507',
  differs: 'importance by leaving out; changes are rolled, tried on a few tasks, and held at the gate',
  parameters,

  async *run(parts, settings) {
    const { archive, dice } = parts;
    refuseTeam('teams', parts.start.spec);
    const numbering = new Numbering(parts.start.components, kind);
    const seenEntries = new SeenEntries();
    let current = parts.start;
    archive.add(current);
    yield { kind: 'best', candidate: current, score: await selectScore(parts, current) };
    for (let step = 0; ; step++) {
      const roll = dice('change', step).next();
      const team = teamIn(current.components);
      const size = team.members.length;
      const change =
        size > 1 && roll < settings.relink
          ? relinkTeam(parts, { current, step })
          : size > settings.most || (size > 2 && roll > 0.85)
            ? await dropMember(parts, { current, step, looks: settings.looks })
            : await addMember(parts, { current, step, numbering, ...settings });
      if (change === null) continue;
      const origin = { engine: archive.engine, proposer: parts.proposer.name, step };
      const newChild = createChild(change, { parents: [current], origin, locked: parts.locked });
      if ('refused' in newChild || archive.has(newChild.child.id) || !seenEntries.fresh(newChild.child.components)) continue;
      if ((await differenceOf(parts, [current, newChild.child], { step, looks: settings.looks })) <= 0) continue;
      archive.add(newChild.child);
      yield { kind: 'candidate', candidate: newChild.child };
      const verdict = await holdChild(parts, current, newChild.child);
      yield { kind: 'verdict', candidate: newChild.child.id, against: current.id, verdict } satisfies Happening;
      if (!verdict.accept) continue;
      current = newChild.child;
      yield { kind: 'best', candidate: current, score: await selectScore(parts, current) };
    }
  },
});

/** Refuses a team as the start, because members are briefs of a language agent. */
export function refuseTeam(engine: string, spec: AgentSpec): void {
  if (!isTeam(spec)) return;
  const other = 'For a team, use gepa (sentences, switches, and order), aflow (modules), or sweep (values of --try)';
  throw new Fault('input', `The engine "${engine}" adds members to a language agent, but ${spec.name} is a team. ${other}.`);
}

const lead = 'lead';

/** The team of a spec: its graph, or one lead who reads every member. */
export function teamIn(components: SpecTexts): Team {
  const component = components[graph];
  if (component !== undefined) return JSON.parse(component) as Team;
  const members = Object.keys(components).flatMap((name) => (name.startsWith(`${kind}/`) ? [name.slice(kind.length + 1)] : []));
  return { members: [lead, ...members], links: members.map((member) => [member, lead] as const), answers: lead };
}

function withTeam(components: SpecTexts, team: Team): SpecTexts {
  return { ...components, [graph]: canonical(team) };
}

interface Work {
  readonly current: Candidate;
  readonly step: number;
}

/** Adds the proposer's text as the brief of a new member, who is read by an existing one. */
async function addMember(
  parts: Parts,
  { current, step, numbering, looks, briefs }: Work & { numbering: Numbering; looks: number; briefs: number },
): Promise<SpecTexts | null> {
  const { bench, dice, archive } = parts;
  const plays = await bench.evaluate(current, placesFor(parts, step, Math.min(3, looks)));
  const [proposed] = await bench.propose(parts.proposer, {
    parent: current,
    step,
    plays: plays.filter(({ score }) => score !== null),
    edits: briefs,
    tried: archive.rejected,
  });
  if (proposed === undefined) return null;
  const { deltas, edits } = readProposal(current.components, proposed.components, { book: [], kind, numbering });
  let team = teamIn(current.components);
  let components: SpecTexts = current.components;
  for (const delta of deltas) {
    if (delta.op !== 'add') continue;
    const { id, text } = delta.entry;
    team = changeTeam(team, { op: 'add', member: id, heardBy: dice('hears', step).pick(team.members) });
    components = { ...components, [`${kind}/${id}`]: text };
  }
  if (team.members.length > teamIn(current.components).members.length) return withTeam(components, team);
  // Without an addition, the proposer removed or rewrote text, which is a change of briefs.
  return edits.length > 0 || proposed.id !== current.id ? proposed.components : null;
}

/** The team without its least important member. */
async function dropMember(parts: Parts, { current, step, looks }: Work & { readonly looks: number }): Promise<SpecTexts | null> {
  const team = teamIn(current.components);
  let [least, match] = [Infinity, null as SpecTexts | null];
  for (const member of team.members) {
    if (member === team.answers) continue;
    const { [`${kind}/${member}`]: _, ...others } = current.components;
    const components = withTeam(others, changeTeam(team, { op: 'remove', member }));
    const newChild = createChild(components, { parents: [current], origin: current.origin, locked: parts.locked });
    if ('refused' in newChild) continue;
    const missed = await differenceOf(parts, [newChild.child, current], { step, looks });
    if (missed < least) [least, match] = [missed, components];
  }
  return least < 0 ? match : null;
}

function relinkTeam({ dice }: Parts, { current, step }: Work): SpecTexts | null {
  const team = teamIn(current.components);
  const roll = dice('relink', step);
  const next = changeTeam(team, { op: 'relink', from: roll.pick(team.members), to: roll.pick(team.members) });
  return next === team ? null : withTeam(current.components, next);
}

function placesFor({ bench, dice }: Parts, step: number, many: number): readonly TrialKey[] {
  const tasks = dice('looks', step).shuffle(Array.from({ length: bench.tasks.propose }, (_, task) => task));
  return tasks.slice(0, many).map((task): TrialKey => ({ split: 'propose', task, repeat: step }));
}

/** How much better the second does than the first on a few tasks, with the same seeds. */
async function differenceOf(
  parts: Parts,
  [first, second]: readonly [Candidate, Candidate],
  { step, looks }: { readonly step: number; readonly looks: number },
): Promise<number> {
  const places = placesFor(parts, step, looks);
  const pairs = pairTrials(await parts.bench.evaluate(first, places), await parts.bench.evaluate(second, places));
  return meanOrZero(pairs.map(({ before, after }) => after - before));
}
