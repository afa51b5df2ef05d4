/** @file Options that several commands share. Each is described once; a command may add its own purpose and default. */

const shared = {
  output: ['-o, --output <path>', 'the output file'],
  seed: ['--seed <n>', 'random seed'],
  yes: ['--yes', 'don’t ask for confirmation'],
  model: ['--model <model>', 'a model, such as ollama/NAME, gguf:PATH, or fake (answers at random)'],
  agent: ['--agent <agent>', 'an agent: a name, a file, or a kind such as llm:MODEL'],
  agents: ['--agents <list>', 'agents, separated by commas: names, files, or kinds such as llm:MODEL'],
  concurrency: ['--concurrency <n>', 'episodes to run in parallel'],
  seat: ['--seat <seat>', 'a seat of the environment'],
  failUnder: ['--fail-under <share>', 'exit with 1 if the result is lower'],
  html: ['--html <file>', 'write an HTML page'],
  humans: ['--humans <file>', 'real conversations, to measure how realistic simulated users are (default: "test.humans" in ludus.config)'],
  cast: ['--seat <seat=agent>', 'an agent for one seat; short form: --SEAT AGENT'],
  task: ['--task <json>', 'parameters of the environment'],
  run: ['--run <run>', 'a run, by name or ID'],
  environment: ['--environment <name>', 'an environment, by name or file'],
  judge: ['--judge <model>', 'the model that judges'],
  games: ['--games <n>', 'games to play'],
  retry: ['--retry', 'play failed episodes again'],
  number: ['-n, --number <n>', 'how many to create'],
  turns: ['--turns <n>', 'turns before a conversation ends'],
  where: ['--where <bound>', 'only those whose score matches, such as "return>=1"'],
  limit: ['--limit <n>', 'limit to the n most recent'],
  seeds: ['--seeds <n>', 'number of seeds'],
  speed: ['--speed <n>', 'events per second when watching'],
  against: ['--against <name>', 'the opponent or baseline'],
  resume: ['--resume <run>', 'resume a stopped run'],
  score: ['--score <name>', 'the score to use'],
  suite: ['--suite <suite>', 'the suite of the run, if it is a file'],
  rubric: ['--rubric <name>', 'the rubric for the judge; requires --judge'],
  me: ['--me <seat>', 'the seat you take'],
  population: ['--population <name>', 'the population: a name, a document, or a table of people (.csv or .parquet)'],
  card: ['--card <file>', 'the trust card of the judge whose score is used'],
  mask: ['--mask <bound>', 'don’t train on turns that match, e.g. "penalty>0"'],
  maskQuotes: ['--mask-quotes <bound>', 'don’t train on text that a matching score quotes'],
  redact: ['--redact [words]', 'remove emails, phone, card, and account numbers, and these words (comma-separated)'],
  user: ['--user <name>', 'the name of the person whom the character talks to: {{user}} in its card'],
  people: ['--people <n>', 'number of people'],
  grace: ['--grace <seconds>', 'seconds to finish running work after a stop'],
  port: ['--port <n>', 'the port to listen on; 0 picks a free one'],
  host: ['--host <name>', 'the address to listen on; other machines always need a token'],
  sessions: ['--sessions <n>', 'maximum number of concurrent sessions'],
  idle: ['--idle <seconds>', 'seconds until an idle session is closed'],
  admin: ['--admin', 'let MCP clients list environments, run plans, and score runs; this may cost money'],
  chance: ['--chance', 'sample at random instead of matching every share'],
  items: ['--items <n>', 'questions with a conflict, and the same number without'],
  dryRun: ['--dry-run', 'print the changes without making them'],
  changes: ['--changes <n>', 'number of changes'],
  desk: ['--desk <desk>', 'a desk, by folder or file'],
  pack: ['--pack <file>', 'an experience pack'],
  engine: ['--engine <name>', 'a method of improvement'],
  set: ['--set <name=value>', 'change a setting; repeatable'],
  repeats: ['--repeats <n>', 'repetitions'],
  scenes: ['--scenes <file>', 'a JSON list of scenes: {"background", "motivation", "opening", "characters"}'],
} as const;

type SharedFlag = keyof typeof shared;

export const sharedFlags = Object.keys(shared) as readonly SharedFlag[];

/** The form and description of a shared option. `more` is added by this command: `(default: 1)`, or a clause. */
export function flag(name: SharedFlag, more?: string): [form: string, description: string] {
  const [form, description] = shared[name];
  if (more === undefined) return [form, description];
  // A default or a condition is appended to the shared description; other texts replace it.
  if (more.startsWith('(')) return [form, `${description} ${more}`];
  return [form, /^(?:with|or|of|in) /.test(more) ? `${description}; ${more}` : more];
}
