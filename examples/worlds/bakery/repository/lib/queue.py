import heapq, random
def mean_wait(counters, customers, rng):
    free = [0.0] * counters
    clock = total = 0.0
    for _ in range(customers):
        clock += rng.expovariate(1 / 2.0)
        start = max(clock, heapq.heappop(free))
        total += start - clock
        heapq.heappush(free, start + rng.expovariate(1 / 1.6))
    return total / customers
