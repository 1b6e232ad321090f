import type { NodeReport } from '../../store/contracts/nodes.ts'
import type { ClusterControl } from '../engine.ts'
import { printable } from '../output/terminal-text.ts'

/** What is done only when somebody says yes. */
export type Asked = {
  question: string
  /** Returns what was done. */
  act(): Promise<string>
}

/** Nothing is asked where there is no node. */
export function askDrain(control: ClusterControl, node: NodeReport | undefined): Asked | null {
  if (node === undefined) return null
  const draining = !node.draining
  const name = `${printable(node.name, 40)} (${printable(node.id, 60)})`
  return {
    question: draining ? `drain ${name}? its partitions go to others (y/n)` : `let ${name} take part again? (y/n)`,
    act: async () => {
      await control.drain(node.id, draining)
      return draining ? `${name} drains` : `${name} takes part again`
    },
  }
}

export function askPause(control: ClusterControl, paused: boolean): Asked {
  return {
    question: paused ? 'pause the crawl of all nodes? (y/n)' : 'resume the crawl? (y/n)',
    act: async () => {
      await control.pause(paused)
      return paused ? 'the crawl is paused' : 'the crawl goes on'
    },
  }
}
