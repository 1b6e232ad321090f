import type { ValidationError } from '../../config/validation-errors.ts'
import { type CommandContext, exitCodes, type Option } from '../command.ts'
import type { Administrator, ListeningTarget, UpHooks } from '../engine.ts'
import { createInterrupt } from '../interrupt.ts'

/** Where a command that serves pages listens. */
export const listeningOptions: readonly Option[] = [
  { name: 'host', argument: 'HOST', setting: 'server.host', about: 'address to listen on (default: 127.0.0.1)' },
  {
    name: 'port',
    argument: 'N',
    setting: 'server.port',
    about: 'port to listen on; 0 takes a free one (default: 7070)',
  },
]

export type Serving = {
  /** Of the command. */
  name: string
  work(hooks: Omit<UpHooks, 'onAnnotated'>): Promise<void>
}

/** A command that serves until somebody ends it, and tells where. */
export function prepareServing(context: CommandContext, errors: ValidationError[], { name, work }: Serving) {
  const { positionals, io, clock, quiet } = context
  for (const word of positionals) errors.push({ place: word.slice(0, 60), message: `${name} takes no arguments` })
  return async (): Promise<number> => {
    const log = context.createLog(io.stderr)
    const onFirst = (): void => {
      if (!quiet) io.stderr.write(`erace ${name}: finishing what is in flight; Ctrl-C again stops at once\n`)
    }
    const interrupt = createInterrupt({ io, clock, onFirst })
    try {
      const onListening = (target: ListeningTarget): void => {
        io.stdout.write(context.json ? `${JSON.stringify(target)}\n` : welcome(target))
      }
      const administrator = administratorOf(context.env)
      await work({ signal: interrupt.signal, log, onListening, administrator })
      return exitCodes.done
    } finally {
      interrupt.dispose()
    }
  }
}

/** Made at the first start, where there is no account yet. */
function administratorOf(env: Readonly<Record<string, string | undefined>>): Administrator | null {
  const { ERACE_ADMIN_EMAIL: email = '', ERACE_ADMIN_PASSWORD: password = '' } = env
  return email === '' || password === '' ? null : { email, password }
}

function welcome({ url, setupUrl }: ListeningTarget): string {
  if (setupUrl === null) return `eRACE is at ${url}\n`
  return `eRACE is at ${url}\nThere is no account yet. Set it up here (the link works once): ${setupUrl}\n`
}
