import { flushCompileCache } from 'node:module'
import { allowNetOption } from '../args/network-option.ts'
import { refuseWords } from '../args/values.ts'
import type { Command } from '../command.ts'
import { untilStopped } from '../interrupt.ts'

export const command: Command = {
  name: 'worker',
  group: 'Cluster',
  summary: 'crawl and match pages for a cluster; start any number, on any machines',
  works: 'on a shared store',
  usage: '',
  options: [
    { name: 'name', argument: 'NAME', setting: 'cluster.name', about: 'name shown in lists (default: the host name)' },
    { name: 'threads', argument: 'N', setting: 'crawl.threads', about: 'worker threads; 0 means one per core' },
    { name: 'fetchers', argument: 'N', setting: 'crawl.fetchers', about: 'concurrent requests' },
    allowNetOption,
  ],
  examples: [
    {
      line: 'erace worker --store postgres://erace:SECRET@db.example.org/erace --name crawl-1',
      about: 'add a worker; no other configuration needed',
    },
    { line: 'ERACE_STORE=postgres://… erace worker --threads 4 --fetchers 400', about: 'with more concurrency' },
    { line: 'erace top --store postgres://…', about: 'monitor all workers; drain one before you stop it' },
  ],
  async prepare(context, errors) {
    const { positionals, target, engine, io, json } = context
    refuseWords(positionals, 'worker takes no arguments', errors)
    const onJoined = ({ id: node, name }: { id: string; name: string }): void => {
      io.stdout.write(json ? `${JSON.stringify({ node, name })}\n` : `Joined as ${name} (${node})\n`)
      // So that the next start is fast even if this process is killed.
      flushCompileCache()
    }
    return () => untilStopped(context, 'worker', (running) => engine.worker(target, { ...running, onJoined }))
  },
}
