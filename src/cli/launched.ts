type LaunchedProcess = Pick<NodeJS.Process, 'env' | 'connected' | 'channel' | 'on' | 'kill' | 'pid'>

/**
 * The launcher starts the program under another Node and waits for it. A launcher killed with SIGKILL can't forward the
 * signal, but the channel between the two closes, and the program kills itself too. Call this first.
 */
export function endWithLauncher(process: LaunchedProcess): void {
  if (process.env.ERACE_LAUNCHED !== '1') return
  // Child processes have another parent.
  delete process.env.ERACE_LAUNCHED
  const end = () => process.kill(process.pid, 'SIGKILL')
  if (!process.connected) end()
  process.on('disconnect', end)
  // A listener would keep the event loop alive; the channel alone is nothing to wait for.
  process.channel?.unref()
}
