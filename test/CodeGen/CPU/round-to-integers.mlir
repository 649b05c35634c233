// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-expand-math -cse -split-input-file | FileCheck %s

// Numbers that are rounded, limited and converted are rounded by the
// conversion. round-to-integers-run.test compares values.

// CHECK-LABEL: func @unsigned(
// CHECK-SAME:      %[[x:.*]]: vector<8xf32>
// CHECK-DAG:     %[[least:.*]] = arith.constant dense<0.000000e+00>
// CHECK-DAG:     %[[most:.*]] = arith.constant dense<2.550000e+02>
// CHECK:         %[[above:.*]] = arith.cmpf ogt, %[[x]], %[[least]]
// CHECK-NEXT:    %[[low:.*]] = arith.select %[[above]], %[[x]], %[[least]]
// CHECK-NEXT:    %[[below:.*]] = arith.cmpf olt, %[[low]], %[[most]]
// CHECK-NEXT:    %[[limited:.*]] = arith.select %[[below]], %[[low]], %[[most]]
// CHECK-NEXT:    %[[i:.*]] = llvm.intr.lrint(%[[limited]]) : (vector<8xf32>) -> vector<8xi32>
// CHECK-NEXT:    %[[byte:.*]] = arith.trunci %[[i]] overflow<nuw> : vector<8xi32> to vector<8xi8>
// CHECK-NEXT:    %[[wide:.*]] = arith.trunci %[[i]] overflow<nsw, nuw> : vector<8xi32> to vector<8xi16>
// CHECK-NEXT:    %[[float:.*]] = arith.sitofp %[[i]] : vector<8xi32> to vector<8xf32>
// CHECK-NEXT:    return %[[byte]], %[[wide]], %[[float]]
func.func @unsigned(%x: vector<8xf32>) -> (vector<8xi8>, vector<8xi16>, vector<8xf32>) {
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %most = arith.constant dense<255.0> : vector<8xf32>
  // The product plus a bias of zero.
  %biased = arith.addf %x, %zero : vector<8xf32>
  %round = math.roundeven %biased : vector<8xf32>
  %sum = arith.addf %round, %zero : vector<8xf32>
  %above = arith.cmpf ogt, %sum, %zero : vector<8xf32>
  %low = arith.select %above, %sum, %zero : vector<8xi1>, vector<8xf32>
  %below = arith.cmpf olt, %low, %most : vector<8xf32>
  %limited = arith.select %below, %low, %most : vector<8xi1>, vector<8xf32>
  %i = arith.fptosi %limited : vector<8xf32> to vector<8xi32>
  %byte = arith.trunci %i : vector<8xi32> to vector<8xi8>
  %wide = arith.extui %byte : vector<8xi8> to vector<8xi16>
  %float = arith.uitofp %byte : vector<8xi8> to vector<8xf32>
  return %byte, %wide, %float : vector<8xi8>, vector<8xi16>, vector<8xf32>
}

// -----

// A zero point is added to the integer. NaN becomes 0, which is the zero point
// less itself.

// CHECK-LABEL: func @signed(
// CHECK-SAME:      %[[x:.*]]: f32
// CHECK-DAG:     %[[nan:.*]] = arith.constant 1.900000e+01
// CHECK-DAG:     %[[least:.*]] = arith.constant -1.090000e+02
// CHECK-DAG:     %[[most:.*]] = arith.constant 1.460000e+02
// CHECK-DAG:     %[[z:.*]] = arith.constant -19 : i32
// CHECK:         %[[isNumber:.*]] = arith.cmpf ord, %[[x]], %[[x]]
// CHECK-NEXT:    %[[number:.*]] = arith.select %[[isNumber]], %[[x]], %[[nan]]
// CHECK-NEXT:    arith.cmpf ogt, %[[number]], %[[least]]
// CHECK:         arith.cmpf olt, %{{.*}}, %[[most]]
// CHECK:         %[[rounded:.*]] = llvm.intr.lrint
// CHECK-NEXT:    %[[i:.*]] = arith.addi %[[rounded]], %[[z]]
// CHECK-NEXT:    %[[byte:.*]] = arith.trunci %[[i]] overflow<nsw> : i32 to i8
// CHECK-NEXT:    %[[float:.*]] = arith.sitofp %[[rounded]] : i32 to f32
// CHECK-NEXT:    return %[[byte]], %[[float]]
func.func @signed(%x: f32) -> (i8, f32) {
  %zero = arith.constant 0.0 : f32
  %z = arith.constant -19.0 : f32
  %least = arith.constant -128.0 : f32
  %most = arith.constant 127.0 : f32
  %round = math.roundeven %x : f32
  %sum = arith.addf %round, %z : f32
  %isNumber = arith.cmpf ord, %sum, %sum : f32
  %number = arith.select %isNumber, %sum, %zero : f32
  %above = arith.cmpf ogt, %number, %least : f32
  %low = arith.select %above, %number, %least : f32
  %below = arith.cmpf olt, %low, %most : f32
  %limited = arith.select %below, %low, %most : f32
  %i = arith.fptosi %limited : f32 to i32
  %byte = arith.trunci %i : i32 to i8
  %dequantized = arith.sitofp %byte : i8 to f32
  %float = arith.subf %dequantized, %z : f32
  return %byte, %float : i8, f32
}

// -----

// A zero point that is no integer moves the halves.

// CHECK-LABEL: func @fraction(
// CHECK:         math.roundeven
// CHECK-NOT:     llvm.intr.lrint
func.func @fraction(%x: f32) -> i8 {
  %z = arith.constant 0.25 : f32
  %least = arith.constant 0.0 : f32
  %most = arith.constant 255.0 : f32
  %round = math.roundeven %x : f32
  %sum = arith.addf %round, %z : f32
  %above = arith.cmpf ogt, %sum, %least : f32
  %low = arith.select %above, %sum, %least : f32
  %below = arith.cmpf olt, %low, %most : f32
  %limited = arith.select %below, %low, %most : f32
  %i = arith.fptosi %limited : f32 to i32
  %byte = arith.trunci %i : i32 to i8
  return %byte : i8
}

// -----

// Without limits, what the conversion makes of large numbers is not defined.

// CHECK-LABEL: func @unlimited(
// CHECK:         math.roundeven
// CHECK-NOT:     llvm.intr.lrint
func.func @unlimited(%x: f32) -> i32 {
  %round = math.roundeven %x : f32
  %i = arith.fptosi %round : f32 to i32
  return %i : i32
}

// -----

// A byte that lost bits is not widened from what it was.

// CHECK-LABEL: func @truncated(
// CHECK:         arith.trunci
// CHECK:         arith.extui
// CHECK:         math.roundeven
func.func @truncated(%x: i32, %y: f32) -> (i16, f32) {
  %byte = arith.trunci %x : i32 to i8
  %wide = arith.extui %byte : i8 to i16
  %round = math.roundeven %y : f32
  return %wide, %round : i16, f32
}
