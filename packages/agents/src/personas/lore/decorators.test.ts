import { describe, expect, it } from 'vitest';
import { parseDecorators } from './decorators.ts';

describe('parseDecorators', () => {
  it.each<[string, string, object]>([
    ['plain text', 'plain text', {}],
    ['@@depth 5\n@@role user\n\nText', 'Text', { depth: 5, role: 'user' }],
    ['@@theirs 4\n@@@activate_only_after 4\nText', 'Text', { activate_only_after: 4 }],
    ['@@a 1\n@@@b 2\n@@@c 3\n@@@d 4\n@@@e 5\n@@@depth 6\nText', 'Text', { depth: 6 }],
    ['@@depth 5\n@@@scan_depth 6\nText', 'Text', { depth: 5 }],
    ['@@role wizard\n@@@role system\nText', 'Text', { role: 'system' }],
    ['@@depth 1\n@@depth 2\nText', 'Text', { depth: 1 }],
    ['@@additional_keys a, b\n@@additional_keys c\nText', 'Text', { additional_keys: ['a', 'b', 'c'] }],
    ['@@activate\n@@unknown thing\nText\n@@depth 3', 'Text\n@@depth 3', { activate: true }],
    ['@@instruct_depth 100\nText', 'Text', {}],
    ['@@depth\nText', 'Text', {}],
    ['Text\n@@depth 3', 'Text\n@@depth 3', {}],
    ['@@depth 3', '', { depth: 3 }],
    ['@@@depth 3\nText', 'Text', {}],
    ['mail me @@home', 'mail me @@home', {}],
  ])('parses %j', (text, content, decorators) => {
    expect(parseDecorators(text)).toEqual({ content, decorators });
  });
});
