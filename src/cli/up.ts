import { type Command, exitCodes } from './command.ts'
import type { Administrator, ListeningPlace } from './engine.ts'
import { createInterrupt } from './interrupt.ts'

export const command: Command = {
  name: 'up',
  group: 'Watch',
  summary: 'the whole service: pages, API, scheduler, crawler, annotation; until you stop it',
  works: 'on a data folder',
  usage: '',
  options: [
    { name: 'host', argument: 'HOST', setting: 'server.host', about: 'address to listen on (default: 127.0.0.1)' },
    {
      name: 'port',
      argument: 'N',
      setting: 'server.port',
      about: 'port to listen on; 0 takes a free one (default: 7070)',
    },
  ],
  examples: [
    { line: 'erace up', about: 'then open the address that it prints; the first time that is a link to set it up' },
    {
      line: 'ERACE_ADMIN_EMAIL=me@example.org ERACE_ADMIN_PASSWORD=… erace up --port 8080',
      about: 'with an administrator who is made at the first start',
    },
    { line: 'erace profile import java.xml --owner me@example.org', about: 'profiles may be changed meanwhile' },
  ],
  async prepare(context, faults) {
    const { positionals, place, engine, io, clock, quiet } = context
    for (const word of positionals) faults.push({ place: word.slice(0, 60), message: 'up takes no arguments' })
    return async () => {
      const log = context.createLog(io.stderr)
      const onFirst = (): void => {
        if (!quiet) io.stderr.write('erace up: finishing what is in flight; Ctrl-C again stops at once\n')
      }
      const interrupt = createInterrupt({ io, clock, onFirst })
      try {
        const onAnnotated = (ids: readonly number[]): void => log.info({ annotations: ids.length }, 'annotated')
        const onListening = (place: ListeningPlace): void => {
          io.stdout.write(context.json ? `${JSON.stringify(place)}\n` : welcome(place))
        }
        const administrator = administratorOf(context.env)
        await engine.up(place, { signal: interrupt.signal, log, onAnnotated, onListening, administrator })
        return exitCodes.done
      } finally {
        interrupt.dispose()
      }
    }
  },
}

/** Made at the first start, where there is no account yet. */
function administratorOf(env: Readonly<Record<string, string | undefined>>): Administrator | null {
  const { ERACE_ADMIN_EMAIL: email = '', ERACE_ADMIN_PASSWORD: password = '' } = env
  return email === '' || password === '' ? null : { email, password }
}

function welcome({ url, setupUrl }: ListeningPlace): string {
  if (setupUrl === null) return `eRACE is at ${url}\n`
  return `eRACE is at ${url}\nThere is no account yet. Set it up here (the link works once): ${setupUrl}\n`
}
