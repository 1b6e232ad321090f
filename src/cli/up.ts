import { type Command, exitCodes } from './command.ts'
import { createInterrupt } from './interrupt.ts'

export const command: Command = {
  name: 'up',
  group: 'Watch',
  summary: 'watch what the profiles say, until you stop it',
  usage: '',
  options: [],
  examples: [
    { line: 'erace profile import java.xml --owner me@example.org', about: 'say what you care about' },
    { line: 'erace up', about: 'and watch it; profiles may be changed meanwhile' },
  ],
  async prepare(context, faults) {
    const { positionals, dataDir, config, engine, io, clock, quiet } = context
    for (const word of positionals) faults.push({ place: word.slice(0, 60), message: 'up takes no arguments' })
    return async () => {
      const log = context.createLog(io.stderr)
      const onFirst = (): void => {
        if (!quiet) io.stderr.write('erace up: finishing what is in flight; Ctrl-C again stops at once\n')
      }
      const interrupt = createInterrupt({ io, clock, onFirst })
      try {
        const onAnnotated = (ids: readonly number[]): void => log.info({ annotations: ids.length }, 'annotated')
        await engine.up(dataDir, config, { signal: interrupt.signal, log, onAnnotated })
        return exitCodes.done
      } finally {
        interrupt.dispose()
      }
    }
  },
}
