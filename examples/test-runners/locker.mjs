/** What every test here plays: the rules, and a customer with a question and a request. */
export const policy = '- A locker costs 8 a month.\n- Ask for the membership number before you cancel a locker.';
export const customer = {
  says: [{ ask: 'How much is a locker a month?', tell: [8] }, 'Please cancel my locker.'],
  knows: { 'membership number': 'M310' },
};
