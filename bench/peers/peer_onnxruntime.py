"""ONNX Runtime: scores with the net that PyTorch trained."""
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import peer_torch

MODULE = "onnxruntime, onnx, torch"
KINDS = {"RankNet of PyTorch": peer_torch.KINDS["RankNet"][:1]}  # what is new is its scoring


def graph_of(net, centre, scale):
    """(x - centre) / scale, a layer of tanh units, an output."""
    first, _, last = net
    values = {"centre": centre, "scale": scale, "w1": first.weight, "b1": first.bias,
              "w2": last.weight, "b2": last.bias}
    nodes = [helper.make_node("Sub", ["x", "centre"], ["apart"]),
             helper.make_node("Div", ["apart", "scale"], ["scaled"]),
             helper.make_node("Gemm", ["scaled", "w1", "b1"], ["sum"], transB=1),
             helper.make_node("Tanh", ["sum"], ["hidden"]),
             helper.make_node("Gemm", ["hidden", "w2", "b2"], ["s"], transB=1)]
    wide = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None, n])
            for name, n in (("x", len(centre)), ("s", 1))]
    weights = [numpy_helper.from_array(v.detach().numpy(), k) for k, v in values.items()]
    graph = helper.make_graph(nodes, "ranknet", wide[:1], wide[1:], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)],
                             ir_version=8)


def fit(_kind, train, valid, seed, setting):
    net = peer_torch.learn("RankNet", train, valid, seed, setting)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(graph_of(*net).SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
    return lambda rows: session.run(None, {"x": rows})[0][:, 0]


def version():
    return f"{onnxruntime.__version__} (onnx {onnx.__version__})"
