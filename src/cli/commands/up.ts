import type { Command } from '../command.ts'
import { listeningOptions, prepareServing } from './serving.ts'

export const command: Command = {
  name: 'up',
  group: 'Watch',
  summary: 'the whole service: pages, API, scheduler, crawler, annotation; until you stop it',
  works: 'on a data folder',
  usage: '',
  options: listeningOptions,
  examples: [
    { line: 'erace up', about: 'then open the address that it prints; the first time that is a link to set it up' },
    {
      line: 'ERACE_ADMIN_EMAIL=me@example.org ERACE_ADMIN_PASSWORD=… erace up --port 8080',
      about: 'with an administrator who is made at the first start',
    },
    { line: 'erace profile import java.xml --owner me@example.org', about: 'profiles may be changed meanwhile' },
  ],
  async prepare(context, errors) {
    return prepareServing(context, errors, {
      name: 'up',
      work: (hooks) => {
        const onAnnotated = (ids: readonly number[]): void => hooks.log.info({ annotations: ids.length }, 'annotated')
        return context.engine.up(context.target, { ...hooks, onAnnotated })
      },
    })
  },
}
