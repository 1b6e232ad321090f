import type { NodeReport } from '../../store/contracts/cluster/nodes.ts'
import type { ClusterControl, ClusterSnapshot } from '../engine.ts'

export function nodeOf(parts: Partial<NodeReport> = {}): NodeReport {
  return {
    id: 'm1-7-abcdef',
    name: 'm1',
    role: 'worker',
    host: 'm1.example',
    pid: 7,
    stats: { perSecond: 12.34, inFlight: 40, queued: 12_345, failed: 3, refused: 1, rssBytes: 210e6, bytes: 5e6 },
    startedMsAgo: 100_000,
    seenMsAgo: 400,
    draining: false,
    partitions: 64,
    ...parts,
  }
}

export function snapshotOf(parts: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  return {
    problem: null,
    nodes: [nodeOf()],
    freePartitions: 0,
    paused: false,
    held: false,
    leader: 'm2-9-012345',
    run: { id: 3, finished: false },
    queued: 1_234_567,
    seen: 9_000_000,
    hosts: 4_321,
    tasks: 12,
    heavyHosts: [],
    ...parts,
  }
}

/** A stand-in cluster that records the calls. */
export function createTestControl(snapshot: () => ClusterSnapshot) {
  const asked: string[] = []
  const control: ClusterControl = {
    snapshot: async () => snapshot(),
    async drain(node, draining) {
      asked.push(`${draining ? 'drain' : 'undrain'} ${node}`)
      return node
    },
    async pause(paused) {
      asked.push(paused ? 'pause' : 'resume')
    },
    async close() {
      asked.push('close')
    },
  }
  return { control, asked }
}
