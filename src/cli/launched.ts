type LaunchedProcess = Pick<NodeJS.Process, 'env' | 'connected' | 'channel' | 'on' | 'kill' | 'pid'>

/**
 * The launcher starts the program under another Node and waits for it. When it is killed with SIGKILL it can pass
 * nothing on; but then the channel between the two closes, and the program ends as the launcher did. To be called first.
 */
export function endWithLauncher(process: LaunchedProcess): void {
  if (process.env.ERACE_LAUNCHED !== '1') return
  // Programs that are started from here have another parent.
  delete process.env.ERACE_LAUNCHED
  const end = () => process.kill(process.pid, 'SIGKILL')
  if (!process.connected) end()
  process.on('disconnect', end)
  // A listener holds the event loop open; the channel alone is no work to wait for.
  process.channel?.unref()
}
