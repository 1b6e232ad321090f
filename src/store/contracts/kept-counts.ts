/** How much is kept. Safe beside whoever writes, and so a moment old. */
export type KeptCounts = { documents: number; versions: number; annotations: number; profiles: number; sources: number }
