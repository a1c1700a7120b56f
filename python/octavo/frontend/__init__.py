"""From torch.compile's graph to the `aten` dialect: options, recipes, decompositions, fallback, import."""
