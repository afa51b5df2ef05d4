/** @file A team as plain data: its members and their links, the importance of each, and changes that keep it connected. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';

/** `links` lead from a member to one that reads it; `answers` is the member that answers last. */
export type Team = {
  readonly members: readonly string[];
  readonly links: readonly (readonly [string, string])[];
  readonly answers: string;
};

export type TeamChange =
  | { readonly op: 'add'; readonly member: string; readonly heardBy: string }
  | { readonly op: 'remove'; readonly member: string }
  | { readonly op: 'relink'; readonly from: string; readonly to: string };

/** The team after a change. Every member is read by the answering member, directly or through others. */
export function changeTeam(team: Team, change: TeamChange): Team {
  if (change.op === 'add') {
    if (team.members.includes(change.member)) throw new Fault('input', `The team already has a member "${change.member}".`);
    checkMember(team, change.heardBy);
    return { ...team, members: [...team.members, change.member], links: [...team.links, [change.member, change.heardBy]] };
  }
  if (change.op === 'remove') {
    checkMember(team, change.member);
    if (change.member === team.answers) throw new Fault('input', `"${change.member}" gives the team's answer and cannot be removed.`);
    const links = team.links.filter(([from, to]) => from !== change.member && to !== change.member);
    return reconnectTeam({ ...team, members: team.members.filter((otherMember) => otherMember !== change.member), links });
  }
  const { from, to } = change;
  checkMember(team, from);
  checkMember(team, to);
  const is = (link: readonly [string, string], a: string, b: string) => link[0] === a && link[1] === b;
  const there = team.links.some((link) => is(link, from, to));
  // A link in the opposite direction is reversed.
  const others = team.links.filter((link) => !is(link, from, to) && !is(link, to, from));
  const links = there ? others : [...others, [from, to] as const];
  const next = { ...team, links };
  // The answering member speaks last, so no member reads it.
  if (from === to || from === team.answers || cyclic(next)) return team;
  return reconnectTeam(next);
}

/** Links members without influence on the answer to the answering member. */
function reconnectTeam(team: Team): Team {
  const message = membersHeardBy(team, team.answers);
  const lost = team.members.filter((member) => !message.has(member));
  return { ...team, links: [...team.links, ...lost.map((member) => [member, team.answers] as const)] };
}

/** A member and all members that it reads, directly or through others. */
export function membersHeardBy(team: Team, member: string): ReadonlySet<string> {
  const matches = new Set([member]);
  for (const item of matches) for (const [from, to] of team.links) if (to === item) matches.add(from);
  return matches;
}

function cyclic(team: Team): boolean {
  return team.links.some(([from, to]) => membersHeardBy(team, from).has(to));
}

function checkMember(team: Team, member: string): void {
  if (!team.members.includes(member))
    throw new Fault('input', `The team has no member "${member}"; its members are ${team.members.join(', ')}.`, { code: 'E_UNKNOWN_NAME' });
}
