/** @file Parses slash commands that a person can type in a conversation. */

/** Commands that leave the current branch of a conversation for another one. */
export type Wish =
  | { readonly kind: 'fork' | 'undo' | 'again' }
  /** An earlier alternative answer, by its number. */
  | { readonly kind: 'swipe'; readonly number: number }
  /** A replacement for the person's last message, or for the character's last answer. */
  | { readonly kind: 'edit' | 'rewrite' | 'note'; readonly text: string }
  | { readonly kind: 'greeting'; readonly number: number };

/** Commands that are answered in the branch, or write the person's message. */
export type ChatCommand =
  | { readonly kind: 'wish'; readonly wish: Wish }
  | { readonly kind: 'continue' | 'impersonate' | 'why' | 'mood' | 'memory' | 'greetings' | 'swipes' | 'help' }
  | { readonly kind: 'save'; readonly text: string }
  | { readonly kind: 'unknown'; readonly text: string };

export const chatHelp = `  /again           get another answer to your last message
  /swipe [N]       list the answers, or choose one by its number
  /edit TEXT       replace your last message and get a new answer
  /rewrite TEXT    replace the character's last answer
  /undo            remove your last message and the answer
  /fork            save this conversation and continue in a copy
  /continue        let the character continue without a message
  /impersonate     let the model write your next message
  /greeting [N]    list the greetings, or start over with one
  /note TEXT       set the author’s note for the next messages
  /memory          show what the character remembers
  /why             show the sources of the last answer
  /mood            show its feelings and relationships
  /save FILE       save the conversation to a file
  /quit            leave (so do Ctrl-D and Ctrl-C)`;

const plain = ['continue', 'impersonate', 'why', 'mood', 'memory', 'help'] as const;
const leaving = ['fork', 'undo', 'again'] as const;
const texts = ['edit', 'rewrite', 'note'] as const;

export function readCommand(typed: string): ChatCommand {
  const [, word = '', rest = ''] = /^\/(\S*)\s*(.*)$/s.exec(typed) ?? [];
  const text = rest.trim();
  const number = /^\d+$/.test(text) ? Number(text) : null;
  const simple = plain.find((item) => item === word);
  if (simple !== undefined) return { kind: simple };
  const left = leaving.find((item) => item === word);
  if (left !== undefined) return { kind: 'wish', wish: { kind: left } };
  const worded = texts.find((text) => text === word);
  if (worded !== undefined && (text !== '' || worded === 'note')) return { kind: 'wish', wish: { kind: worded, text } };
  if (word === 'save') return { kind: 'save', text };
  if (word === 'swipe' && text === '') return { kind: 'swipes' };
  if (word === 'swipe' && number !== null) return { kind: 'wish', wish: { kind: 'swipe', number } };
  if (word === 'greeting' && text === '') return { kind: 'greetings' };
  if (word === 'greeting' && number !== null) return { kind: 'wish', wish: { kind: 'greeting', number } };
  return { kind: 'unknown', text: `/${word}${text === '' && worded === undefined ? '' : ' …'}` };
}
