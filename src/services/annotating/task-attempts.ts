import type { Clock } from '../../core/clock.ts'
import { isAppError } from '../../core/errors.ts'
import type { AnnotationStore, Task } from '../../store/contracts/annotations.ts'
import { MAX_ATTEMPTS } from '../../store/rules/tasks.ts'

/**
 * Counts attempts at tasks, so that one bad document never stops the engine. An attempt is counted in the store before it is made, so it
 * also counts if it kills the thread or the whole process. Tasks never begun before are counted a batch at a time, which costs one
 * write; those begun before are suspects and counted one by one, each just before it is processed. So only a task that was in progress
 * each time uses up its attempts. An unavailable store is not a task's fault: its attempt stays counted in memory and is made when the
 * store is back.
 */
export type TaskAttempts = {
  /** Call before processing any task of a batch. */
  begin(tasks: readonly Task[]): Promise<void>
  /** Retries until the task is done or set aside. Throws errors that are not the task's fault. */
  settle(task: Task, process: (task: Task) => Promise<void>): Promise<'done' | 'set-aside'>
  /** Uncounts the attempts that were counted and will not be made now. */
  giveBack(): Promise<void>
}

export type TaskAttemptsDeps = {
  annotations: Pick<AnnotationStore, 'countAttempts' | 'fail'>
  clock: Clock
  /** How the previous thread died; empty if there was none. */
  died: string
  onFailed(task: Task, reason: string): void
  onSetAside(task: Task, reason: string): void
}

export function createTaskAttempts(deps: TaskAttemptsDeps): TaskAttempts {
  const { annotations, clock, died, onFailed, onSetAside } = deps
  /** Tasks with an attempt counted but not made yet. */
  const counted = new Set<number>()

  async function count(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return
    await annotations.countAttempts(ids, 1)
    for (const id of ids) counted.add(id)
  }

  async function fail(task: Task, reason: string): Promise<boolean> {
    const outcome = await annotations.fail(task.id, { reason, at: clock.now() })
    counted.delete(task.id)
    if (outcome === 'set-aside') onSetAside(task, reason)
    else onFailed(task, reason)
    return outcome === 'set-aside'
  }

  return {
    begin: (tasks) => count(tasks.filter(({ id, attempts }) => attempts === 0 && !counted.has(id)).map(({ id }) => id)),
    async settle(task, process) {
      if (!counted.has(task.id) && task.attempts >= MAX_ATTEMPTS && (await fail(task, deathText(died))))
        return 'set-aside'
      for (;;) {
        if (!counted.has(task.id)) await count([task.id])
        try {
          await process(task)
          counted.delete(task.id)
          return 'done'
        } catch (error) {
          if (!isOfTheTask(error)) throw error
          if (await fail(task, reasonOf(error))) return 'set-aside'
        }
      }
    },
    async giveBack() {
      const ids = [...counted]
      counted.clear()
      if (ids.length > 0) await annotations.countAttempts(ids, -1)
    },
  }
}

/** Store errors and a lost partition lease are not the task's fault. */
function isOfTheTask(error: unknown): boolean {
  if (!isAppError(error)) return true
  return error.retry === 'never' && !error.code.startsWith('store-') && error.code !== 'lease-lost'
}

function reasonOf(error: unknown): string {
  if (isAppError(error) || !(error instanceof Error)) return error instanceof Error ? error.message : String(error)
  return `${error.name}: ${error.message}`
}

function deathText(died: string): string {
  const how = died === '' ? '' : `: ${died}`
  return `processing ended abruptly ${MAX_ATTEMPTS} times${how}`
}
