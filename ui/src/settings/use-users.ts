import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type List, messageOf } from '../api/client.ts'
import type { User, UserChanges } from '../api/types.ts'
import { showToast } from '../kit/toast-store.ts'

export function useUsers() {
  return useInfiniteQuery({
    queryKey: ['users'],
    queryFn: ({ pageParam }) => api.get<List<User>>('/users', { limit: 100, cursor: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  })
}

export function useChangeUser() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, changes }: { id: number; changes: UserChanges }) => api.patch<User>(`/users/${id}`, changes),
    onSuccess: () => void client.invalidateQueries({ queryKey: ['users'] }),
    onError: (error) => showToast(messageOf(error), { tone: 'bad' }),
  })
}
