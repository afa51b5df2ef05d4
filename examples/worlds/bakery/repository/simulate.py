import argparse, random
from lib.queue import mean_wait
parser = argparse.ArgumentParser()
parser.add_argument('--seed', type=int, default=0)
rng = random.Random(parser.parse_args().seed)
for name, counters in (('one counter', 1), ('two counters', 2)):
    print(f'mean wait with {name}: {mean_wait(counters, 40000, rng):.3f}')
