import { Writable } from 'node:stream'
import type { ValidationError } from '../../config/validation-errors.ts'
import { readOwner, refuseWords } from '../args/values.ts'
import type { Command, CommandContext } from '../command.ts'
import type { McpSource } from '../engine.ts'
import { untilStopped } from '../interrupt.ts'

export const command: Command = {
  name: 'mcp',
  group: 'Watch',
  summary: 'serve a model or another MCP client over standard input and output',
  usage: '',
  options: [
    { name: 'owner', argument: 'EMAIL', about: 'the user to act for, if there are several accounts' },
    {
      name: 'url',
      argument: 'URL',
      about:
        'pass everything on to this running service, with the token in ERACE_TOKEN, instead of opening the data folder',
    },
  ],
  examples: [
    {
      line: 'erace mcp --data ~/erace-data',
      about: 'the command to configure in an MCP client; the service may be running',
    },
    { line: 'erace mcp --store postgres://… --owner ada@example.org', about: 'for one user of a cluster' },
    {
      line: 'ERACE_TOKEN=erace_… erace mcp --url https://erace.example.org',
      about: 'for clients that only start programs; others use https://erace.example.org/mcp',
    },
  ],
  async prepare(context, errors) {
    const { options, positionals, io, engine } = context
    refuseWords(positionals, 'mcp takes options only', errors)
    const source = readSource(context, options.text('url'), errors)
    return () => {
      // Log lines go to standard error: standard output carries the protocol.
      const output = new Writable({
        decodeStrings: false,
        write(chunk: string | Uint8Array, _encoding, done) {
          io.stdout.write(chunk)
          done()
        },
      })
      return untilStopped(context, 'mcp', (running) => engine.mcp(source, { ...running, input: io.stdin, output }))
    }
  },
}

function readSource(
  { options, target, env }: CommandContext,
  url: string | undefined,
  errors: ValidationError[],
): McpSource {
  const owner = readOwner(options, errors)
  if (url === undefined) return { kind: 'store', target, owner }
  const token = env.ERACE_TOKEN ?? ''
  const parsed = URL.parse(url)
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol))
    errors.push({ place: '--url', message: 'must be the http or https address of an eRACE service' })
  if (owner !== null) errors.push({ place: '--owner', message: 'the token says who you are; omit it with --url' })
  for (const name of ['data', 'store'])
    if (options.text(name) !== undefined) errors.push({ place: `--${name}`, message: 'give either this or --url' })
  if (!/^[\w.~+/=-]{1,200}$/.test(token))
    errors.push({ place: 'ERACE_TOKEN', message: 'must be a token of your account on that service (Settings, Tokens)' })
  return { kind: 'service', url: url.replace(/\/+$/, ''), token }
}
