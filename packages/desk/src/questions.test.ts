import { describe, expect, test } from 'vitest';
import { endsAsking, questionsIn, wishIn } from './questions.ts';

const kinds = (text: string) => questionsIn(text).map(({ kind }) => kind);

describe('questions', () => {
  test.each([
    ['What is your date of birth?', ['value']],
    ['May I ask for your date of birth first?', ['value']],
    ['Still missing:\n- the student number, please', ['value']],
    ['- Need a figure: the exact number of extra days?', ['value']],
    ['Could you tell me the name on the booking?', ['value']],
    ['Date of birth of the owner of the dog, please?', ['value']],
    ['May I have your email, your full name and your zip code?', ['value']],
    ['Which day would you like for U-119: the 1st, the 10th or the 20th?', ['value']],
    ['Is it about notice, a key, or the payment day?', ['choice']],
    ['Is that all right? (yes / no)', ['yes']],
    ['- Extend H402 by 1 day: 1 x 29 = 29.\n- Yes or no?', ['yes']],
    ['> Change the plate of P4-2201 from KL 481 RT to KL 555 ZZ? (yes/no)', ['yes']],
    ['It is Brigid Nolan, is it not? Should I give notice for unit U-118?', ['yes', 'yes']],
    ['The payment day is now the 10th. Is there another unit to change?', ['more']],
    ['Done. How else may I help you?', ['more']],
    ['ok what is the number on your plate', ['value']],
    ['so i call off V31, shall i do that', ['yes']],
    ['Please fill in:\nRoom:\nBag tag:', ['value', 'value']],
    ['Step 1 of 3. Enter your customer number:', ['value']],
    ["I'm still missing your date of birth.", ['value']],
    ['The stall concerned has not been stated.', ['value']],
    ['And that would be repair number …?', ['value']],
    ['Inner/outer?', ['choice']],
    ['I can turn it off. Just say the word.', ['yes']],
    ['Express consent to the surrender is requested.', ['yes']],
    ['Here is the plan. Thumbs up?', ['yes']],
    ['P-8 is running.\n\nWith warm regards,\nYour donor care team', []],
    ['P-8 is running.\n\nYour donor care team', []],
    ['Let me know if you need anything else.', ['more']],
    ['Should you ever want to change this, a short message is enough.', []],
    ['State of LB-7: in wash.', []],
    ['Your lesson L-223:\n- day: Monday', []],
    ['Done:\n- L-216 moved to Wednesday', []],
  ])('in "%s" have the kinds %j', (text, expected) => {
    expect(kinds(text)).toEqual(expected);
  });

  test('have the requested value as their topic, not the context', () => {
    const [question] = questionsIn('Which day should the lesson be moved to?');
    expect(question === undefined ? '' : wishIn(question)).toMatch(/day/);
    expect(question === undefined ? '' : wishIn(question)).not.toMatch(/lesson/);
    expect(questionsIn('May I have your email, your full name and your zip code?').map(wishIn).join()).toMatch(/email.*name.*zip code/);
    expect(questionsIn('Do you need one for a unit of yours?').map(wishIn)).toEqual(['']);
    expect(questionsIn('Which order is this about?').map(wishIn)).toEqual(['Which order']);
  });

  test('are recognized at the end even before brackets or a list', () => {
    expect(endsAsking('Is that all right? (yes / no)')).toBe(true);
    expect(endsAsking('Which day should L-224 be moved to?\n- Monday to Friday are possible')).toBe(true);
    expect(endsAsking('Lesson L-224:\n- day: Tuesday')).toBe(false);
  });
});
