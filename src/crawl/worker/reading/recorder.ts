import type { Capture, CaptureOutcome } from '../../../store/contracts/documents.ts'

/** Records captures in batches, one batch after the other. */
export type Recorder = {
  /** Resolves when it is stored. */
  add(capture: Capture): Promise<CaptureOutcome>
}

export type RecorderOptions = {
  record(captures: readonly Capture[]): Promise<CaptureOutcome[]>
  maxItems: number
  /** How long the first capture of a batch waits for others. */
  maxWaitMs: number
}

type Waiting = { capture: Capture; resolve(outcome: CaptureOutcome): void; reject(error: unknown): void }

export function createRecorder({ record, maxItems, maxWaitMs }: RecorderOptions): Recorder {
  let waiting: Waiting[] = []
  let timer: NodeJS.Timeout | null = null
  let isWriting = false

  async function write(): Promise<void> {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (isWriting || waiting.length === 0) return
    isWriting = true
    const batch = waiting
    waiting = []
    try {
      const outcomes = await record(batch.map(({ capture }) => capture))
      for (const [at, { capture, resolve }] of batch.entries()) {
        if (capture.kind === 'body') capture.release?.()
        resolve(outcomes[at]!)
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    isWriting = false
    plan()
  }

  function plan(): void {
    if (isWriting || waiting.length === 0) return
    if (waiting.length >= maxItems) void write()
    else timer ??= setTimeout(() => void write(), maxWaitMs)
  }

  return {
    add: (capture) =>
      new Promise((resolve, reject) => {
        waiting.push({ capture, resolve, reject })
        plan()
      }),
  }
}
