/**
 * @file What the bots of these trades have in common: sessions, who writes, which record is meant, and a flow of questions, checks and actions. Each
 * trade brings its records, rules and wording. A planted fault replaces one part of the flow. The bots know nothing of Ludus.
 */

/** The first match that is not ruled out, as in "I mean A-2, not A-1". */
export function pick(message, pattern) {
  const matches = [...message.matchAll(pattern)].filter(
    ({ index }) => !/\b(?:not|instead of)\s+(?:the\s+|number\s+)?$/i.test(message.slice(0, index)),
  );
  return matches[0]?.[0] ?? null;
}

const agreement =
  /^\W*(?:yes|yep|yeah|yup|sure|ok(?:ay)?|please do|go ahead|correct|right|fine|do (?:it|so|that)|exactly|that(?:'s| is) (?:right|fine|it))\b/i;
const disagreement = /^\W*(?:no|nope|stop|wait|don't|do not)\b/i;

/**
 * A bot of a trade.
 *
 * trade: { records, table, who(message, people), idPattern, faqs: [[RegExp, answer]], reads: [[RegExp, (record, id, session) => text]],
 *   wishes: [{ name, when, slots: {name: [RegExp, question]}, deny(record, session), plan(record, id, session), do(record, session) -> call, done(...) }],
 *   lines: { askWho, askRecord, notYours, unknown, sorry, hello, declined }, consent, reports }
 */
export function makeBot(trade, fault = {}) {
  const sessions = new Map();
  const open = (name) => {
    const start = { who: null, id: null, wish: null, read: null, slots: {}, waits: false, turn: 0, refusals: 0 };
    if (!sessions.has(name)) sessions.set(name, { db: structuredClone(trade.records), ...start });
    return sessions.get(name);
  };
  const bot = (message, { session: name }) => {
    const session = open(name);
    session.turn++;
    session.calls = [];
    let reply = fault.instead?.(message, session, trade) ?? flow(message, session, trade, fault);
    reply = fault.after?.(reply, message, session, trade) ?? reply;
    return trade.reports === true ? { reply, tool_calls: session.calls } : reply;
  };
  bot.plant = (records, { session }) => {
    const { db } = open(session);
    for (const [table, rows] of Object.entries(records))
      for (const [id, row] of Object.entries(rows)) db[table][id] = { ...db[table][id], ...row };
  };
  return bot;
}

function flow(message, session, trade, fault) {
  const { lines } = trade;
  remember(message, session, trade, fault);
  const faq = trade.faqs.find(([when]) => when.test(message));
  if (faq !== undefined) return typeof faq[1] === 'function' ? faq[1](message, session) : faq[1];
  const wish = trade.wishes.find(({ when }) => when.test(message));
  if (wish !== undefined && wish !== session.wish) Object.assign(session, { wish, waits: false, read: null });
  const read = wish === undefined ? trade.reads.find(([when]) => when.test(message)) : undefined;
  if (read !== undefined) session.read = read;
  if (session.read === null && session.wish === null) {
    if (trade.others?.(message, session) === true) return lines.notYours;
    if (/ridiculous|joke|angry|useless/i.test(message)) return lines.sorry;
    return session.turn === 1 ? lines.hello : lines.unknown;
  }
  if (/ridiculous|joke|angry|useless/i.test(message) && !session.waits) return lines.sorry;
  if (session.who === null && fault.trusting !== true) return lines.askWho;
  if (trade.others?.(message, session) === true) {
    session.read = null;
    return lines.notYours;
  }
  if (session.id === null) return lines.askRecord;
  const record = session.db[trade.table][session.id];
  if (record === undefined || (record[trade.owner] !== session.who && fault.trusting !== true)) {
    Object.assign(session, { read: null, id: null });
    return lines.notYours;
  }
  if (session.read !== null) {
    const [, tell] = session.read;
    session.read = null;
    session.calls.push({ name: trade.lookup, arguments: { [trade.idName]: session.id } });
    return tell(record, session.id, session);
  }
  return serve(message, session, trade, fault, record);
}

function remember(message, session, trade, fault) {
  session.who = trade.who(message, session) ?? session.who;
  const id = pick(message, trade.idPattern);
  const corrects = /\bmean\b|mistake|wrong (?:number|one)|actually|sorry/i.test(message);
  if (id !== null && id !== session.id && !(fault.deaf === true && session.id !== null && corrects)) {
    if (session.waits || session.wish !== null) session.waits = false;
    session.id = id;
  }
  for (const { slots = {} } of trade.wishes)
    for (const [slot, [pattern]] of Object.entries(slots)) {
      const value = pattern.exec(message);
      if (value !== null) session.slots[slot] = value[1] ?? value[0];
    }
  if (fault.forgets === true && session.turn % 2 === 0) session.who = null;
}

function serve(message, session, trade, fault, record) {
  const { wish, lines } = { wish: session.wish, lines: trade.lines };
  const denied = wish.deny?.(record, session) ?? null;
  if (denied !== null) {
    session.refusals++;
    const yields = fault.lax === true || (fault.yieldsAfter !== undefined && session.refusals > fault.yieldsAfter);
    if (!yields) return denied;
  }
  if (fault.refuses === true) return fault.refusal;
  if (fault.defers !== undefined) return fault.defers;
  for (const [slot, [, question]] of Object.entries(wish.slots ?? {})) if (session.slots[slot] === undefined) return question;
  if (trade.consent !== false && fault.hasty !== true) {
    if (!session.waits) {
      session.waits = true;
      return wish.plan(record, session.id, session);
    }
    if (disagreement.test(message)) {
      Object.assign(session, { wish: null, waits: false });
      return lines.declined;
    }
    if (!agreement.test(message)) return wish.plan(record, session.id, session);
  }
  const id = session.id;
  const call = wish.call(id, session);
  if (fault.idle !== true) {
    wish.do(record, session);
    session.calls.push(call);
    if (fault.twice === true) session.calls.push(call);
    fault.also?.(session, trade, wish);
  }
  Object.assign(session, { wish: null, waits: false });
  const text =
    (denied === null ? fault.claim?.(record, id, session) : fault.grant?.(record, id, session)) ?? wish.done(record, id, session);
  return fault.twice === true ? (fault.doubled?.(record, id, session) ?? text) : text;
}
