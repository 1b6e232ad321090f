const QUIET_MS = 4000

function loadedFiles(): string[] {
  return performance
    .getEntriesByType('resource')
    .map(({ name }) => new URL(name))
    .filter(({ origin, pathname }) => origin === location.origin && pathname.startsWith('/assets/'))
    .map(({ pathname }) => pathname)
}

/** The worker comes up after the first load: what was loaded until then it is told. */
export function registerWorker(): void {
  if (!('serviceWorker' in navigator) || !import.meta.env.PROD) return
  window.addEventListener('load', async () => {
    try {
      await navigator.serviceWorker.register('/sw.js')
      const { active } = await navigator.serviceWorker.ready
      setTimeout(() => active?.postMessage(loadedFiles()), QUIET_MS)
    } catch {
      // Without it the pages work, only not without a connection.
    }
  })
}
