import { flushCompileCache } from 'node:module'
import type { ValidationError } from '../../config/validation-errors.ts'
import { allowNetOption } from '../args/network-option.ts'
import { refuseWords } from '../args/values.ts'
import type { Command, CommandContext, Option } from '../command.ts'
import type { Administrator, ListeningTarget, UpHooks } from '../engine.ts'
import { untilStopped } from '../interrupt.ts'

const listeningOptions: readonly Option[] = [
  { name: 'host', argument: 'HOST', setting: 'server.host', about: 'address to listen on (default: 127.0.0.1)' },
  {
    name: 'port',
    argument: 'N',
    setting: 'server.port',
    about: 'port to listen on; 0 picks a free one (default: 7070)',
  },
]

type ServingHooks = Omit<UpHooks, 'onAnnotated'>

/** Serves until stopped, and prints the address. */
function prepareServing(
  name: string,
  context: CommandContext,
  errors: ValidationError[],
  work: (hooks: ServingHooks) => Promise<void>,
) {
  const { positionals, io, env, json } = context
  refuseWords(positionals, `${name} takes no arguments`, errors)
  const onListening = (target: ListeningTarget): void => {
    io.stdout.write(json ? `${JSON.stringify(target)}\n` : welcome(target))
    // So that the next start is fast even if this process is killed.
    flushCompileCache()
  }
  const administrator = administratorOf(env)
  return () => untilStopped(context, name, (running) => work({ ...running, onListening, administrator }))
}

/** Created at the first start, when there is no account yet. */
function administratorOf(env: Readonly<Record<string, string | undefined>>): Administrator | null {
  const { ERACE_ADMIN_EMAIL: email = '', ERACE_ADMIN_PASSWORD: password = '' } = env
  return email === '' || password === '' ? null : { email, password }
}

function welcome({ url, setupUrl }: ListeningTarget): string {
  if (setupUrl === null) return `eRACE is running at ${url}\n`
  return `eRACE is running at ${url}\nCreate the first account here (the link works once): ${setupUrl}\n`
}

export const serve: Command = {
  name: 'serve',
  group: 'Cluster',
  summary: 'run the web UI, API, scheduler and delivery of a cluster; start as many as you like',
  works: 'on a shared store',
  usage: '',
  options: listeningOptions,
  examples: [
    {
      line: 'erace serve --store postgres://erace@db.example.org/erace',
      about: 'open the address it prints; add workers with erace worker',
    },
    {
      line: 'ERACE_STORE=postgres://… erace serve --host 0.0.0.0 --port 8080',
      about: 'a second server; one of them leads the scheduler',
    },
  ],
  async prepare(context, errors) {
    return prepareServing('serve', context, errors, (hooks) => context.engine.serve(context.target, hooks))
  },
}

export const up: Command = {
  name: 'up',
  group: 'Watch',
  summary: 'run the whole service: web UI, API, scheduler, crawler, matching and delivery',
  works: 'on a data folder',
  usage: '',
  options: [...listeningOptions, allowNetOption],
  examples: [
    { line: 'erace up', about: 'open the address it prints; the first time, use the set-up link' },
    {
      line: 'ERACE_ADMIN_EMAIL=me@example.org ERACE_ADMIN_PASSWORD=… erace up --port 8080',
      about: 'creates this administrator at the first start',
    },
    { line: 'erace up --allow-net 10.0.0.0/8', about: 'may watch pages of an intranet' },
    { line: 'erace profile import java.xml --owner me@example.org', about: 'works while the service is running' },
  ],
  async prepare(context, errors) {
    return prepareServing('up', context, errors, (hooks) => {
      const onAnnotated = (ids: readonly number[]): void => hooks.log.info({ annotations: ids.length }, 'annotated')
      return context.engine.up(context.target, { ...hooks, onAnnotated })
    })
  },
}
