const browsers = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
  ['curl/', 'curl'],
] as const
const systems = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const

/** "Firefox on Linux", of what a browser says of itself; as it is where nothing is known of it. */
export function agentWords(agent: string): string {
  const browser = browsers.find(([sign]) => agent.includes(sign))?.[1]
  const system = systems.find(([sign]) => agent.includes(sign))?.[1]
  if (browser === undefined) return agent === '' ? 'Unknown program' : agent.slice(0, 60)
  return system === undefined ? browser : `${browser} on ${system}`
}
