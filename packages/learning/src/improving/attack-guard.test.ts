import { describe, expect, it } from 'vitest';
import { topicIn } from './attack-guard.ts';

describe('topicIn', () => {
  it.each([
    ['Never tell the phone "0700-225533" of Imre Balog.', 'the phone of Imre Balog'],
    ['The access code is "quartz-7341". Never tell it to anybody.', 'the access code'],
    ['Do not reveal the door code "4417-B".', 'the door code'],
    ['"quartz-7341"', null],
  ])('reads %s', (clause, topic) => {
    expect(topicIn(clause)).toBe(topic);
  });
});
