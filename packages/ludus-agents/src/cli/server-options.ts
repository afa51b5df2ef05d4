/** @file Options that servers share: address and access, rights of remote clients, and recording by a proxy. */

import type { Command } from 'commander';
import { amount, collect, whole, withJson, withStore } from './command.ts';
import { flag } from './flags.ts';

export function withServeOptions(command: Command, port: number): Command {
  command
    .option(...flag('port'), whole('--port', 0, 65_535), port)
    .option(...flag('host'), '127.0.0.1')
    .option('--token <text>', "the owner's token (default: LUDUS_TOKEN, or .ludus/studio.token, created at the first start)")
    .option('--no-token', 'accept local programs without a token (loopback only)')
    .option('--rate <n>', 'requests per second, per token or address', amount('--rate'), 2000)
    .option(...flag('grace'), amount('--grace'), 10);
  return withJson(withStore(command));
}

export function withClientOptions(command: Command): Command {
  return command
    .option('--opponents <agent>', "the agents of the other seats (default: the environment's stand-ins, or random)")
    .option('--allow <agent>', 'an agent that clients may use, such as llm:MODEL or llm:*; random and scripted ones always work', collect)
    .option(...flag('sessions'), whole('--sessions', 1, 100_000), 256)
    .option(
      '--sessions-per-token <n>',
      'maximum number of concurrent sessions per token (default: a quarter of --sessions)',
      whole('--sessions-per-token', 1, 100_000),
    )
    .option(...flag('idle'), amount('--idle'), 600);
}

export function withRecording(command: Command): Command {
  return withCharacters(command)
    .option('--upstream <url>', 'the OpenAI-compatible server to forward to, such as http://localhost:8000/v1')
    .option('--key-from <variable>', 'the environment variable with that server’s key (default: the key stored for its address)')
    .option('--no-tokens', 'don’t request token IDs and log-probabilities')
    .option(...flag('run', 'the run for calls without one (default: proxy)'))
    .option('--expire <seconds>', 'end an episode after this many seconds without calls (default: 3600)', amount('--expire'))
    .option(...flag('model', 'a model to serve under its name; repeatable'), collect);
}

export function withCharacters(command: Command): Command {
  return command
    .option('--character <model>', 'the model that plays the characters (default: the lines on the card)')
    .option('--persona <file>', 'an extra character, named after its file; repeatable', collect);
}
