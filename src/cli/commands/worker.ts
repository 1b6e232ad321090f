import { type Command, exitCodes } from '../command.ts'
import { createInterrupt } from '../interrupt.ts'

export const command: Command = {
  name: 'worker',
  group: 'Cluster',
  summary: 'crawl and annotate for a cluster, until you stop it; any number may run, on any number of machines',
  works: 'on a shared store',
  usage: '',
  options: [
    {
      name: 'name',
      argument: 'NAME',
      setting: 'cluster.name',
      about: 'what people call it in lists (default: the name of the machine)',
    },
    { name: 'threads', argument: 'N', setting: 'crawl.threads', about: 'worker threads; 0 is one for each core' },
    { name: 'fetchers', argument: 'N', setting: 'crawl.fetchers', about: 'requests under way at the same time' },
  ],
  examples: [
    {
      line: 'erace worker --store postgres://erace:SECRET@db.example.org/erace --name crawl-1',
      about: 'one more worker; nothing else has to be told of it',
    },
    { line: 'ERACE_STORE=postgres://… erace worker --threads 4 --fetchers 400', about: 'with more to do at a time' },
    {
      line: 'erace top --store postgres://…',
      about: 'all workers at a glance, and how to drain one before it is stopped',
    },
  ],
  async prepare(context, errors) {
    const { positionals, target, engine, io, clock, quiet, json } = context
    for (const word of positionals) errors.push({ place: word.slice(0, 60), message: 'worker takes no arguments' })
    return async () => {
      const log = context.createLog(io.stderr)
      const onFirst = (): void => {
        if (!quiet) io.stderr.write('erace worker: finishing what is in flight; Ctrl-C again stops at once\n')
      }
      const interrupt = createInterrupt({ io, clock, onFirst })
      try {
        const onJoined = ({ id: node, name }: { id: string; name: string }): void => {
          io.stdout.write(json ? `${JSON.stringify({ node, name })}\n` : `Joined as ${name} (${node})\n`)
        }
        await engine.worker(target, { signal: interrupt.signal, log, onJoined })
        return exitCodes.done
      } finally {
        interrupt.dispose()
      }
    }
  },
}
