import * as archive from '../../../src/app/commands/archive.ts'
import * as maintenance from '../../../src/app/commands/maintenance.ts'
import * as profiles from '../../../src/app/commands/profiles.ts'
import { loadAbilities } from '../../../src/app/protocols.ts'
import { createRecordingIo } from '../../../src/cli/cli.testkit.ts'
import type { Engine } from '../../../src/cli/engine.ts'
import { runCli } from '../../../src/cli/run-cli.ts'

/** Runs commands one after the other in one process: starting a process for each would take most of the time. */
export type CommandCall = { args: string[] }
export type CommandEnd = { exitCode: number; stdout: string; stderr: string; thrown: string | null }

const { exportArchive, ...reading } = archive
const engine = {
  abilities: loadAbilities,
  export: exportArchive,
  ...reading,
  ...maintenance,
  ...profiles,
} as unknown as Engine

process.on('message', ({ args }: CommandCall) => {
  const recording = createRecordingIo()
  const end = (exitCode: number, thrown: string | null): void =>
    void process.send!({
      exitCode,
      stdout: recording.out().slice(0, MAX_SHOWN),
      stderr: recording.err().slice(0, MAX_SHOWN),
      thrown,
    } satisfies CommandEnd)
  runCli({ argv: args, env: {}, cwd: process.cwd(), io: recording.io, engine }).then(
    (code) => end(code, null),
    (error: unknown) => end(-1, error instanceof Error ? (error.stack ?? error.message) : String(error)),
  )
})

const MAX_SHOWN = 20_000
