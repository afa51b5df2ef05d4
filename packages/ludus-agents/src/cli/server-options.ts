/** @file Options that servers share: their address and access, what remote clients may do, and what a proxy records. */

import type { Command } from 'commander';
import { amount, collect, whole, withJson, withStore } from './command.ts';
import { flag } from './flags.ts';

export function withServeOptions(command: Command, port: number): Command {
  command
    .option(...flag('port'), whole('--port', 0, 65_535), port)
    .option(...flag('host'), '127.0.0.1')
    .option('--token <text>', "the owner's token (default: LUDUS_TOKEN, or .ludus/studio.token, which is made at the first start)")
    .option('--no-token', 'let programs of this machine in without a token; only on loopback')
    .option('--rate <n>', 'requests a second for each token or address', amount('--rate'), 2000)
    .option(...flag('grace'), amount('--grace'), 10);
  return withJson(withStore(command));
}

export function withClientOptions(command: Command): Command {
  return command
    .option('--opponents <agent>', "who takes the other seats (default: the world's own stand-ins, or chance)")
    .option('--allow <agent>', 'an agent that clients may name besides random and scripted ones, as llm:MODEL or llm:*', collect)
    .option(...flag('sessions'), whole('--sessions', 1, 100_000), 256)
    .option(
      '--sessions-per-token <n>',
      'sessions of one token at once (default: a quarter of --sessions)',
      whole('--sessions-per-token', 1, 100_000),
    )
    .option(...flag('idle'), amount('--idle'), 600);
}

export function withRecording(command: Command): Command {
  return withCharacters(command)
    .option('--upstream <url>', 'the OpenAI-compatible server that calls go on to, e.g. http://localhost:8000/v1')
    .option('--key-from <variable>', 'the environment variable with the key of that server (default: the key that is bound to its origin)')
    .option('--no-tokens', 'do not ask the server for token ids and log-probabilities')
    .option(...flag('run', 'that of calls that name none (default: proxy)'))
    .option('--expire <seconds>', 'when an episode that nobody calls is over (default: 3600)', amount('--expire'))
    .option(...flag('model', 'it answers here under that name; may be given several times'), collect);
}

export function withCharacters(command: Command): Command {
  return command
    .option('--character <model>', 'who plays the characters (default: a script with the lines on the card)')
    .option(
      '--persona <file>',
      'a character besides those of the gallery, called by the name of its file; may be given several times',
      collect,
    );
}
