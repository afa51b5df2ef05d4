/** A locker-room bot to start from: replace it with yours, or with the address of your bot ("http://localhost:3000/chat"). */
export function makeBot() {
  let number;
  return (message) => {
    number = /\bM\d{3}\b/.exec(message)?.[0] ?? number;
    if (/how much|cost/i.test(message)) return 'A locker costs 8 a month.';
    if (number === undefined) return 'What is your membership number?';
    return `The locker of ${number} is cancelled.`;
  };
}

/** The same bot with a fault: it names a price that no rule has. */
export function makeWrongBot() {
  const bot = makeBot();
  return (message) => bot(message).replace('8 a month', '12 a month');
}
