#!/usr/bin/env python3
"""Seconds that PyTorch takes for an epoch of RankNet on the CPU.

The peer of `peck train -m ranknet`: the same net of tanh units, the same mean of
log(1 + e^-(s_i - s_j)) over the pairs of a query with y_i > y_j, Adam, 32 lists a step.

    padded   a step is one forward and one backward over [32, longest list, features]; of the
             differences of all scores those that are pairs count
    loop     list by list, one loss and one backward each, a step every 32

usage: peer_torch.py padded|loop DATA WIDTHS THREADS EPOCHS

DATA is what `peck convert` writes as .safetensors, WIDTHS such as 136-64-32-1.  Prints the
version, the seconds of the quickest epoch and the mean loss of the last one.
"""
import json
import struct
import sys
import time

import torch

LISTS = 32
RATE = 0.005
TYPES = {"F32": torch.float32, "U64": torch.int64}


def read(path):
    """Features, labels and where queries begin; features standardised column by column."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = bytearray(file.read())

    def tensor(name):
        entry = header[name]
        begin, end = entry["data_offsets"]
        dtype = TYPES[entry["dtype"]]
        return torch.frombuffer(data, dtype=dtype, offset=begin,
                                count=(end - begin) // dtype.itemsize).reshape(entry["shape"])

    x = tensor("features")
    spread = x.std(0, unbiased=False)
    x = (x - x.mean(0)) / torch.where(spread > 0, spread, 1.0)
    return x, tensor("labels"), tensor("query_offsets").tolist()


def make_net(widths):
    layers = []
    for k, n in zip(widths, widths[1:]):
        layers += [torch.nn.Linear(k, n), torch.nn.Tanh()]
        torch.nn.init.xavier_uniform_(layers[-2].weight)
        torch.nn.init.zeros_(layers[-2].bias)
    return torch.nn.Sequential(*layers[:-1])


def pad(x, y, start):
    """[queries, longest, features], and labels with -1 where there is no document."""
    lengths = [end - begin for begin, end in zip(start, start[1:])]
    rows = torch.zeros(len(lengths), max(lengths), x.shape[1])
    labels = torch.full((len(lengths), max(lengths)), -1.0)
    for q, n in enumerate(lengths):
        rows[q, :n] = x[start[q]:start[q] + n]
        labels[q, :n] = y[start[q]:start[q] + n]
    return rows, labels


def cost(score, label):
    """The mean over pairs of each list; score and label are [..., documents]."""
    apart = score.unsqueeze(-1) - score.unsqueeze(-2)
    is_pair = (label.unsqueeze(-1) > label.unsqueeze(-2)) & (label.unsqueeze(-2) >= 0)
    all_costs = torch.nn.functional.softplus(-apart) * is_pair
    return all_costs.sum((-1, -2)) / is_pair.sum((-1, -2)).clamp(min=1)


def padded_epoch(net, optimiser, rows, labels):
    total = 0.0
    for batch in torch.randperm(len(rows)).split(LISTS):
        optimiser.zero_grad()
        loss = cost(net(rows[batch]).squeeze(-1), labels[batch]).mean()
        loss.backward()
        optimiser.step()
        total += float(loss.detach()) * len(batch)
    return total / len(rows)


def loop_epoch(net, optimiser, x, y, start):
    n, total = len(start) - 1, 0.0
    for batch in torch.randperm(n).split(LISTS):
        optimiser.zero_grad()
        for q in batch.tolist():
            at = slice(start[q], start[q + 1])
            loss = cost(net(x[at]).squeeze(-1), y[at]) / len(batch)
            loss.backward()
            total += float(loss.detach()) * len(batch)
        optimiser.step()
    return total / n


def main():
    way, path, widths, threads, epochs = sys.argv[1:]
    torch.set_num_threads(int(threads))
    torch.manual_seed(1)
    x, y, start = read(path)
    net = make_net([int(n) for n in widths.split("-")])
    optimiser = torch.optim.Adam(net.parameters(), lr=RATE, fused=True)
    data = pad(x, y, start) if way == "padded" else (x, y, start)
    one_epoch = padded_epoch if way == "padded" else loop_epoch
    best = float("inf")
    for _ in range(int(epochs)):
        began = time.perf_counter()
        loss = one_epoch(net, optimiser, *data)
        best = min(best, time.perf_counter() - began)
    print(torch.__version__, best, loss)


if __name__ == "__main__":
    main()
