import type { Command } from '../command.ts'
import { listeningOptions, prepareServing } from './serving.ts'

export const command: Command = {
  name: 'serve',
  group: 'Cluster',
  summary: 'pages, API and scheduler of a cluster; until you stop it, and as many as you like',
  works: 'on a shared store',
  usage: '',
  options: listeningOptions,
  examples: [
    {
      line: 'erace serve --store postgres://erace@db.example.org/erace',
      about: 'then open the address that it prints; workers are started with erace worker',
    },
    {
      line: 'ERACE_STORE=postgres://… erace serve --host 0.0.0.0 --port 8080',
      about: 'another one; each answers everything, and one of them leads the scheduler',
    },
  ],
  async prepare(context, errors) {
    return prepareServing(context, errors, {
      name: 'serve',
      work: (hooks) => context.engine.serve(context.target, hooks),
    })
  },
}
