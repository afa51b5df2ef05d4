/** @file Sessions, tables and small readers that the bots of these trades share. Each bot has a flow and wording that no other has. */

import { readFileSync } from 'node:fs';

/** The records of a table in CSV, by id. */
export function readTable(url, separator) {
  const [head, ...rows] = readFileSync(url, 'utf8')
    .trim()
    .split('\n')
    .map((row) => row.split(separator));
  return Object.fromEntries(rows.map(([id, ...cells]) => [id, Object.fromEntries(cells.map((cell, i) => [head[i + 1], cell]))]));
}

/** A bot with sessions: `reply(message, session)` answers; `session.calls` lists what it did at this turn. */
export function withSessions(records, reply, reports = false) {
  const sessions = new Map();
  const open = (name) => {
    if (!sessions.has(name)) sessions.set(name, { db: structuredClone(records), turn: 0, calls: [], memory: {} });
    return sessions.get(name);
  };
  const bot = (message, { session: name }) => {
    const session = open(name);
    session.turn++;
    session.calls = [];
    const text = reply(message, session);
    return reports ? { reply: text, tool_calls: session.calls } : text;
  };
  bot.plant = (planted, { session }) => {
    const { db } = open(session);
    for (const [table, rows] of Object.entries(planted))
      for (const [id, row] of Object.entries(rows)) db[table][id] = { ...db[table][id], ...row };
  };
  return bot;
}

/** The ids that a message speaks of, without those it rules out ("not R-1"). */
export function findMentionedIds(message, pattern) {
  return [...message.matchAll(pattern)]
    .filter(({ index }) => !/\b(?:not|instead of|rather than)\s+(?:the\s+|number\s+|order\s+)?$/i.test(message.slice(0, index)))
    .map(([id]) => id);
}

export const saysYes = (message) =>
  /^\W*(?:yes|yeah|yep|sure|ok|okay|please do|go ahead|do it|that'?s (?:right|fine|correct)|correct|right|exactly|fine|perfect|absolutely)\b/i.test(
    message,
  );
export const saysNo = (message) => /^\W*(?:no|nope|stop|wait|don't|do not|hold on)\b/i.test(message);
